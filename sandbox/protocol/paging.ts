import { hash } from '../base/random.ts'
import type { SeedState } from '../seed-data/state.ts'
import type { SandboxCall } from './call.ts'
import { placesFor, placesIn, strayRecords } from './list-ways.ts'
import type { Listing } from './listing.ts'
import type { PageToken } from './page-tokens.ts'
import { badParameter, refuse, type SandboxRefusal } from './refusal.ts'

export interface ListRules {
  items: string
  maximum: number
  /** The code, with status 400, for an invalid or expired page token. */
  tokenCode: number
  /** The code for other wrong parameters; default: 300. */
  parameterCode?: number
  /** Whether the documented answer has `total_records`. */
  total: boolean
  legacyPages?: boolean
  /** Whether the documented response has no `page_size`. */
  sizeUntold?: true
  /** The default page size, if unusual. */
  usual?: number
}

export interface OpenedList {
  listing(state: SeedState, nowMs: number): Listing
  item(state: SeedState, index: number): unknown
  bounds?: { from: string; to: string }
  /** Whether the response omits the bounds. */
  silent?: true
  /** More fields of the response. */
  rest?: Record<string, unknown>
}

export const DEFAULT_PAGE_SIZE = 30

/**
 * Answers one page of a list. `open` gets the bounds of the first page, so that a window that ends "now" does
 * not move.
 */
export function answerList(
  call: SandboxCall,
  rules: ListRules,
  open: (bounds: PageToken['bounds'], state: SeedState) => OpenedList,
): Record<string, unknown> {
  const numbered = call.readings.listPages === 'numbers'
  const most = numbered ? NUMBERED_PAGE : call.habits.pageCap
  const size = Math.min(pageSize(call, rules), most)
  const token = presentedToken(call, rules)
  const known = numbered || rules.legacyPages === true
  const legacy = (known ? pageNumber(call) : undefined) ?? (numbered ? 1 : undefined)
  const state = token?.pinned ?? call.seedData.state
  const pass = token?.pass ?? call.tokens.begin(bindingOf(call, call.query))
  const opened = open(token?.bounds, state)
  const listing = opened.listing(state, call.nowMs)
  const length = placesFor(call.readings, listing.length)
  const position = token?.position ?? (legacy === undefined ? 0 : (legacy - 1) * size)
  const blank = token !== undefined && position > 0 && isBlankPage(call, token)
  const until = blank ? position : Math.min(position + size, length)
  const records: unknown[] = []
  const placeOf = placesIn(call.readings, { pass, length: listing.length })
  for (let at = position; at < until; at++)
    records.push(opened.item(state, listing.at(placeOf(at))))
  if (until === length && records.length > 0) records.push(...strayRecords(call.readings, pass))
  const more = legacy === undefined && until < length
  const endless = legacy === undefined && call.readings.listPages === 'repeats'
  return {
    ...(opened.silent === true ? {} : opened.bounds),
    ...opened.rest,
    ...(known ? { page_count: Math.ceil(length / size), page_number: legacy ?? 1 } : {}),
    ...(rules.sizeUntold === true ? {} : { page_size: size }),
    ...(rules.total ? { total_records: totalOf(call, length, until - position) } : {}),
    ...(numbered
      ? {}
      : nextToken(
          call,
          more || endless
            ? { position: more ? until : position, state, bounds: opened.bounds, blank, pass }
            : undefined,
        )),
    [rules.items]: records,
  }
}

function totalOf({ readings }: SandboxCall, listed: number, shown: number): number | string {
  return { list: listed, page: shown, words: `${shown}+` }[readings.totals]
}

function pageSize(call: SandboxCall, rules: ListRules): number {
  const text = call.query.get('page_size')
  if (text === undefined) return rules.usual ?? DEFAULT_PAGE_SIZE
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw badParameter('page_size', 'must be a positive integer', rules.parameterCode)
  const { pageSizeAbove } = call.readings
  if (pageSizeAbove === 'unheeded') return EVERYTHING
  if (pageSizeAbove === 'clamped') return Math.min(Number(text), rules.maximum)
  if (Number(text) > SMALL_MAXIMUM)
    throw badParameter('page_size', `must be at most ${SMALL_MAXIMUM}`, rules.parameterCode)
  return Math.min(Number(text), rules.maximum)
}

function pageNumber(call: SandboxCall): number | undefined {
  const text = call.query.get('page_number')
  if (text === undefined) return undefined
  if (call.query.has('next_page_token'))
    throw badParameter('page_number', 'cannot be sent together with next_page_token')
  if (!/^\d{1,7}$/.test(text) || Number(text) < 1)
    throw badParameter('page_number', 'must be a positive integer')
  return Number(text)
}

function presentedToken(call: SandboxCall, rules: ListRules): PageToken | undefined {
  const text = call.query.get('next_page_token')
  if (text === undefined) return undefined
  if (text === '') throw badParameter('next_page_token', 'must not be empty', rules.parameterCode)
  const token = call.tokens.find(text, call.nowMs)
  if (token === undefined || !isBoundTo(token, call)) throw invalidToken(rules)
  return token
}

function invalidToken(rules: ListRules): SandboxRefusal {
  return refuse(400, rules.tokenCode, 'The next page token is invalid or expired.')
}

/**
 * Whether a token belongs to the list. The bounds may be sent as requested before or as returned, because
 * both identify the same list.
 */
function isBoundTo(token: PageToken, call: SandboxCall): boolean {
  const [own, settled] = token.binding.split('\n')
  return bindingOf(call, call.query) === own || bindingOf(call, call.query) === settled
}

function bindingOf(call: SandboxCall, query: ReadonlyMap<string, string>): string {
  const others = [...query]
    .filter(([name]) => name !== 'next_page_token')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([call.seedData.accountId, call.operation.id, call.path, others])
}

function nextToken(
  call: SandboxCall,
  next:
    | (Pick<PageToken, 'position' | 'bounds' | 'blank' | 'pass'> & { state: SeedState })
    | undefined,
): { next_page_token?: string | number | boolean | null } {
  const { lastToken, pageTokens } = call.readings
  if (next === undefined) {
    if (pageTokens === 'number') return { next_page_token: false }
    const over = { next_page_token: `over.${String(call.serial)}` }
    return pageTokens === 'last-refused' ? over : LAST_TOKEN[lastToken]
  }
  const settled = new Map(call.query)
  for (const [name, value] of Object.entries(next.bounds ?? {})) settled.set(name, value)
  const known = call.query.get('next_page_token')
  const before = known === undefined ? undefined : call.tokens.find(known, call.nowMs)
  const binding = before?.binding ?? `${bindingOf(call, call.query)}\n${bindingOf(call, settled)}`
  const pinned = call.readings.paging === 'snapshot' ? next.state : undefined
  const { position, bounds, blank, pass } = next
  const token = { binding, position, pinned, bounds, blank, pass }
  const text = call.tokens.issue(token, call.nowMs)
  return { next_page_token: pageTokens === 'number' ? Number(text) : text }
}

/** Whether this page is left empty although more rows follow. The next page is not, so that the list ends. */
function isBlankPage(call: SandboxCall, { position, blank }: PageToken): boolean {
  const share = call.habits.emptyPages
  if (share === 0 || blank || call.serial % 2 === 1) return false
  return hash(call.seedData.seed, 0xb1a, position) / 2 ** 32 < share
}

const SMALL_MAXIMUM = 50
const EVERYTHING = 1_000_000
/** The page size of numbered pages: small, so that small lists have several pages. */
const NUMBERED_PAGE = 7
const LAST_TOKEN = { empty: { next_page_token: '' }, null: { next_page_token: null }, absent: {} }
