import type { CallArguments, Operation } from '../../core/define/operation.ts'
import { PageTokenError, TransportError } from '../../core/errors.ts'
import { rawNumber, type WireRecord } from '../../core/values/json.ts'
import { declares, plainName } from './error-body.ts'
import { type AnswerHeaders, header } from './headers.ts'
import { kindOf, type Received, unexpectedAnswer } from './read-json.ts'

/** The parameters that the service reports it applied. It may narrow a request without an error. */
export interface Echo {
  from?: string
  to?: string
  page_size?: number
}

export function carriesPageToken({ query }: CallArguments): boolean {
  const token = query?.next_page_token
  return token !== undefined && token !== ''
}

/** Returns true if the requested page follows another one. */
export function isLaterPage(args: CallArguments): boolean {
  return carriesPageToken(args) || Number(args.query?.page_number ?? 1) > 1
}

/** The query of the page after this one: by its token, or by its number in a list without tokens. */
export type NextPage = { next_page_token: string } | { page_number: number }

/**
 * Returns how to request the next page, and the list's number of pages. Without a token, the next page is
 * requested by its number if `page_count` is larger. If a page number was requested and the answer has one,
 * both must be equal.
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
    throw unexpectedAnswer(
      received,
      `the answer is for a page other than page_number ${String(asked)}`,
      false,
    )
  const next = byNumber ? { page_number: Number(asked) + 1 } : undefined
  return { next, pageCount, saysEnd: !byNumber && body.next_page_token !== undefined }
}

/** Undefined on the last page: its token is empty, null, false or absent. A number becomes its digits. */
export function nextPageToken(received: Received, token: unknown): string | undefined {
  if (token === undefined || token === null || token === '' || token === false) return undefined
  if (typeof token === 'string') return token
  const digits = digitsOf(token)
  if (digits !== undefined) return digits
  throw unexpectedAnswer(received, `next_page_token is ${kindOf(token)}`, false)
}

/** Reads the parameters that an answer repeats. Times come as text, or as epoch seconds or milliseconds. */
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

/** Refuses a page that leads to no next page but says in an undocumented way that more follow. */
export function refuseMore(received: Received, body: object): void {
  const { operation, answer } = received
  if (operation.paging?.style === 'record') return
  const sign =
    saysMore(body, operation) ?? (linksNext(answer.headers) ? 'the header link' : undefined)
  if (sign === undefined) return
  const came = `the page has no next_page_token, but ${sign.slice(0, 60)} says that more pages follow`
  throw unexpectedAnswer(received, came, false)
}

/**
 * Finds the undocumented field by which a page reports that more follow: a flag, or a token or address of the
 * next page, in the envelope or in an object inside it. Undefined if there is none.
 */
function saysMore(body: object, operation: Operation): string | undefined {
  const fields = Object.entries(body).filter(([name]) => !declares(operation, name))
  for (const [name, value] of fields) {
    if (isSign(name, value)) return name
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    const inner = Object.entries(value).find(([within, one]) => isSign(within, one))
    if (inner !== undefined) return `${name}.${inner[0]}`
  }
  return undefined
}

/** Returns true if the HTTP header `link` names a next page. */
function linksNext(headers: AnswerHeaders): boolean {
  return /;\s*rel="?(?:[\w-]+ )*next\b/i.test(header(headers, 'link') ?? '')
}

function isSign(name: string, value: unknown): boolean {
  const plain = plainName(name)
  if (value === true || value === 'true' || value === 1) return FLAGS.has(plain)
  return NEXT.has(plain) && leads(value)
}

function leads(value: unknown): boolean {
  if (typeof value === 'string') return !NOWHERE.test(value.trim())
  if (typeof value === 'number') return value > 0
  return typeof value === 'object' && value !== null && Object.values(value).some(leads)
}

/**
 * A count in the envelope, which may be a string of digits. Undefined if it is null, empty or absent. An
 * unreadable count is an error; otherwise a truncated list could look complete.
 */
export function countIn(received: Received, name: string, told: unknown): number | undefined {
  if (told === undefined || told === null || told === '') return undefined
  const digits = typeof told === 'string' && /^\d+$/.test(told) ? told : rawNumber(told)
  const count = digits === undefined ? told : Number(digits)
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number
  const came = `${name} is ${typeof count === 'number' ? (digits ?? count) : kindOf(told)}`
  throw unexpectedAnswer(
    received,
    `${came.slice(0, MOST_CHARACTERS)}, which is not a valid count`,
    false,
  )
}

export function withNext(args: CallArguments, next: NextPage | undefined): CallArguments {
  return next === undefined ? args : { ...args, query: { ...args.query, ...next } }
}

export function nameOf(next: NextPage | undefined): string {
  return next === undefined ? '' : Object.entries(next).join()
}

/** Throws if a list leads back to an earlier page or has more than `MAX_PAGES` pages. */
export function refuseLoop(
  { operation }: { operation: Operation },
  next: NextPage,
  asked: Set<string>,
): void {
  const tried = `Reading the pages of ${operation.id}`
  const name = nameOf(next)
  if (asked.has(name))
    throw new PageTokenError('page_loop', {
      tried,
      came: 'the service sent the same page token twice',
      todo: `run again; if it repeats, ${REPORT_ENDLESS}`,
    })
  if (asked.size >= MAX_PAGES)
    throw new TransportError('too_many_pages', false, {
      tried,
      came: `the list has more than ${MAX_PAGES} pages`,
      todo: REPORT_ENDLESS,
    })
  asked.add(name)
}

/**
 * Returns a check to call after each page with the number of different records so far. It throws after
 * `MOST_IDLE` pages in a row without a new record: empty pages, a last page that repeats under new tokens, or
 * tokens that lead back to the first page. The error is not retried: another read would cost as much.
 */
export function idlePages({ id }: Operation): (shown: number) => void {
  let most = 0
  let idle = 0
  return (shown) => {
    idle = shown > most ? 0 : idle + 1
    most = Math.max(most, shown)
    if (idle < MOST_IDLE) return
    throw new TransportError('repeated_pages', false, {
      tried: `Reading the pages of ${id}`,
      came: `${idle} pages in a row contained no new record`,
      todo: REPORT_ENDLESS,
    })
  }
}

/** Fields that report more pages, named as `plainName` returns them: without `is` and `has`. */
const FLAGS = new Set(
  `more moreresults morerecords moreitems moredata morepages next nextpage truncated partial partialresult
  partialresults incomplete incompleteresult incompleteresults`.split(/\s+/),
)
const NEXT = new Set(
  `next nextpage nextpagetoken nexttoken nextcursor nextlink nexturl nexturi nexthref nextoffset
  continuationtoken odatanextlink`.split(/\s+/),
)
const NOWHERE = /^(?:|null|none|nil|false|no|0|-1)$/i

/** Limits the error's text: a number may have any number of digits. */
const MOST_CHARACTERS = 60

const REPORT_ENDLESS = "contact the service's support and quote this message: the list does not end"

const MAX_PAGES = 100_000

const MOST_IDLE = 10
