import type { CallArguments } from '../../core/define/operation.ts'
import { rawNumber } from '../../core/values/lossless-json.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import { kindOf, notDue, type Received } from './read-json.ts'
import { countIn } from './total-of.ts'

/** What the service says it was asked; it narrows in silence. */
export interface Echo {
  from?: string
  to?: string
  page_size?: number
}

export function carriesPageToken({ query }: CallArguments): boolean {
  const token = query?.next_page_token
  return token !== undefined && token !== ''
}

/** Whether a page is asked for that follows another one. */
export function isLaterPage(args: CallArguments): boolean {
  return carriesPageToken(args) || Number(args.query?.page_number ?? 1) > 1
}

/** The query of the page after this one: by its token, or by its number in a list without tokens. */
export type NextPage = { next_page_token: string } | { page_number: number }

/**
 * How the list goes on, and of how many pages it says that it has. Without a token, of more pages than one
 * the next is asked for by its number; it must answer for that number.
 */
export function placeOf(
  received: Received,
  body: WireRecord,
): { next: NextPage | undefined; pageCount: number | undefined; saysEnd: boolean } {
  const token = nextPageToken(received, body.next_page_token)
  const going = { pageCount: undefined, saysEnd: false }
  if (token !== undefined) return { ...going, next: { next_page_token: token } }
  const { next_page_token: sent, page_number: asked = 1 } = received.args.query ?? {}
  const pageCount = countIn(received, 'page_count', body.page_count)
  const byNumber = sent === undefined && pageCount !== undefined && Number(asked) < pageCount
  const isAsked = received.args.query?.page_number !== undefined
  const echoed = isAsked ? countIn(received, 'page_number', body.page_number) : undefined
  if (echoed !== undefined && echoed !== Number(asked))
    throw notDue(received, `another page than page_number ${String(asked)}`, false)
  const next = byNumber ? { page_number: Number(asked) + 1 } : undefined
  return { next, pageCount, saysEnd: !byNumber && body.next_page_token !== undefined }
}

/** The last page has an empty token, or null, false, or none. A number stands for its digits. */
export function nextPageToken(received: Received, token: unknown): string | undefined {
  if (token === undefined || token === null || token === '' || token === false) return undefined
  if (typeof token === 'string') return token
  const digits = digitsOf(token)
  if (digits !== undefined) return digits
  throw notDue(received, `a next_page_token that is ${kindOf(token)}`, false)
}

/** Times come as text, or as the seconds or milliseconds of an epoch. */
export function echoOf({ from, to, page_size: size }: WireRecord): Echo {
  const fromText = typeof from === 'string' ? from : digitsOf(from)
  const toText = typeof to === 'string' ? to : digitsOf(to)
  const echoed = typeof size === 'string' && /^\d{1,9}$/.test(size) ? Number(size) : size
  return {
    ...(fromText === undefined ? {} : { from: fromText }),
    ...(toText === undefined ? {} : { to: toText }),
    ...(typeof echoed === 'number' ? { page_size: echoed } : {}),
  }
}

function digitsOf(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : rawNumber(value)
}
