import { rawNumber } from '../../core/values/lossless-json.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import { kindOf, notDue, type Received } from './read-json.ts'

/** What the service says it was asked; it narrows in silence. */
export interface Echo {
  from?: string
  to?: string
  page_size?: number
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
