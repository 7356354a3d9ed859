import { meansDeleted, meansRefused, meansWithheld } from '../../core/define/answer-meaning.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import type { FoundReadings } from '../../core/define/ports.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { utcDay, utcInstant } from '../../core/time/time.ts'
import { isLaterPage } from '../answers/paging.ts'
import type { Page } from '../answers/payload.ts'

export type AskPage = (
  operation: Operation,
  args: CallArguments,
  send: (args: CallArguments) => Promise<Page>,
) => Promise<Page>

/** A variant of a list request: values in place of those that a service may refuse. */
interface Way {
  pageSize?: number
  /** How far our clock is ahead of the service's. */
  aheadMs?: number
  bounds?: 'left out'
}

/**
 * Requests a first page in a way that the service accepts: some maximum page sizes and time bounds are
 * undocumented. If a parameter is refused, other ways are tried. If one works and the first is refused again,
 * its page size and its omission of bounds are stored for the account. For lists below a parent, bounds are
 * omitted permanently only if two parents' lists refused them and no list accepted them. A range that begins
 * in the past ends now at the latest; after a refusal, the service's clock counts.
 */
export function createAsking(clock: Clock, found: FoundReadings | undefined): AskPage {
  /** By operation, the parents whose lists accepted no other way. */
  const unhelped = new Map<string, Set<string>>()
  /** Operations with at least one list that accepted bounds. */
  const bounded = new Set<string>()
  /** By operation, the parents whose lists refused bounds. One parent proves nothing about the others. */
  const unbounded = new Map<string, Set<string>>()
  const isFirst = ({ id }: Operation, args: CallArguments): boolean =>
    args.path !== undefined && added(unbounded, id, parentOf(args)).size < 2
  const isHopeless = ({ id }: Operation, args: CallArguments): boolean => {
    const parents = unhelped.get(id)
    return parents !== undefined && (parents.size >= MOST_UNHELPED || parents.has(parentOf(args)))
  }
  // How far our clock is ahead of the service's. Stays 0 until the service rejects a range that ends at our
  // current time and accepts one that ends at its own.
  let aheadMs = 0
  return async (operation, args, send) => {
    if (isLaterPage(args)) return await send(args)
    const askedIn = (way: Way, given: CallArguments): CallArguments =>
      askedBy({ aheadMs, ...way }, { operation, args: given, nowMs: clock.now() })
    const usual = askedIn(knownWay(operation, found), args)
    try {
      const page = await send(usual)
      if (hasBounds(operation, usual)) bounded.add(operation.id)
      return page
    } catch (error) {
      if (!refusesParameter(operation, error) || isHopeless(operation, args)) throw error
      const asked = { error, nowMs: clock.now(), isBounded: bounded.has(operation.id) }
      const ways = otherWays(operation, usual, asked)
      const other = await taken(operation, ways, (way) => send(askedIn(way, usual)))
      if (other === undefined) {
        added(unhelped, operation.id, parentOf(args))
        throw error
      }
      const { way, page } = other
      const again = await unlessRefused(operation, () => send(usual))
      if (again !== undefined) return again
      if (way.bounds !== undefined && isFirst(operation, args)) {
        // Without bounds the service may show only today, so an empty list proves nothing.
        if (page.records.count === 0) throw error
        return page
      }
      aheadMs = way.aheadMs ?? aheadMs
      for (const [reading, variant] of findings(operation, way))
        await found?.remember(reading, variant)
      return page
    }
  }
}

function parentOf({ path }: CallArguments): string {
  return Object.values(path ?? {}).join('/')
}

function added(sets: Map<string, Set<string>>, key: string, value: string): Set<string> {
  const set = sets.get(key) ?? new Set()
  sets.set(key, set.add(value))
  return set
}

/** How far our clock is ahead; 0 if it is behind, or ahead by a day or more: then the header is wrong. */
function aheadBy(nowMs: number, { serverDateMs = nowMs }: ServiceError): number {
  const aheadMs = nowMs - serverDateMs
  return aheadMs > 0 && aheadMs < MOST_AHEAD_MS ? aheadMs : 0
}

function knownWay({ id }: Operation, found: FoundReadings | undefined): Way {
  const pageSize = Number(found?.get(`page_size:${id}`))
  return {
    ...(pageSize >= 1 ? { pageSize } : {}),
    ...(found?.get(`bounds:${id}`) === 'left out' ? { bounds: 'left out' } : {}),
  }
}

function findings(
  { id }: Operation,
  { pageSize, bounds }: Way,
): (readonly [reading: string, variant: string])[] {
  return [
    ...(pageSize === undefined ? [] : [[`page_size:${id}`, String(pageSize)] as const]),
    ...(bounds === undefined ? [] : [[`bounds:${id}`, bounds] as const]),
  ]
}

function askedBy(
  { pageSize, aheadMs = 0, bounds }: Way,
  { operation, args, nowMs: oursMs }: { operation: Operation; args: CallArguments; nowMs: number },
): CallArguments {
  const query = { ...args.query }
  const nowMs = oursMs - aheadMs
  if (pageSize !== undefined) query.page_size = Math.min(pageSize, sizeOf(operation, args))
  // A range that begins in the future is not changed, because it would end before its start.
  if (isFuture(query.to, nowMs) && !isFuture(query.from, nowMs)) {
    query.to = String(query.to).length === 10 ? utcDay(nowMs) : utcInstant(nowMs)
  }
  if (bounds !== undefined) for (const name of operation.undocumented ?? []) delete query[name]
  return { ...args, query }
}

interface OtherWays {
  /** Ways with other bounds and the full page size. */
  bounds: readonly Way[]
  /** The ways in `smaller` that change the most. If none of them works, the others are not tried. */
  furthest: readonly Way[]
  /** Page sizes halved again and again, each also with every way in `bounds`. */
  smaller: readonly Way[]
}

function otherWays(
  operation: Operation,
  args: CallArguments,
  { error, nowMs, isBounded }: { error: ServiceError; nowMs: number; isBounded: boolean },
): OtherWays {
  const words = said(error)
  const ofSize = /page.?size/i.test(words)
  // If the refusal names another field, no other way can help.
  const [start, own] = [words.replaceAll(OWN_WORDS, ''), operation.undocumented ?? []]
  const others = own.reduce((text, name) => text.replaceAll(name, ''), start)
  if (!ofSize && /\b[a-z]+_[a-z_]+\b/.test(others)) return { bounds: [], furthest: [], smaller: [] }
  const aheadMs = aheadBy(nowMs, error)
  const bounds: Way[] = [
    ...(isFuture(args.query?.to, nowMs - aheadMs) ? [{ aheadMs }] : []),
    ...(hasBounds(operation, args) && !isBounded ? [{ bounds: 'left out' as const }] : []),
  ]
  const sizes: Way[] = []
  if (operation.paging?.style === 'token')
    for (let size = sizeOf(operation, args); size > (ofSize ? 1 : LEAST_SIZE); )
      sizes.push({ pageSize: (size = Math.ceil(size / 2)) })
  const inBounds = (size: Way): Way[] => [size, ...bounds.map((bound) => ({ ...size, ...bound }))]
  const smaller = sizes.flatMap(inBounds)
  // A refusal of the page size may refuse the smallest too, so all sizes are tried.
  const furthest = ofSize ? smaller : sizes.slice(-1).flatMap(inBounds)
  return { bounds, furthest, smaller }
}

/** Returns true if the call has bounds that are not documented for the operation. */
function hasBounds({ undocumented = [] }: Operation, { query }: CallArguments): boolean {
  return undocumented.some((name) => query?.[name] !== undefined)
}

function sizeOf({ paging }: Operation, { query }: CallArguments): number {
  const most = paging?.style === 'token' ? paging.maxPageSize : 1
  return typeof query?.page_size === 'number' ? query.page_size : most
}

function isFuture(to: unknown, nowMs: number): boolean {
  if (typeof to !== 'string') return false
  return to.length === 10 ? to > utcDay(nowMs) : Date.parse(to) > nowMs
}

/** Returns the first way whose parameters are accepted, and its page. */
async function taken(
  operation: Operation,
  { bounds, furthest, smaller }: OtherWays,
  ask: (way: Way) => Promise<Page>,
): Promise<{ way: Way; page: Page } | undefined> {
  const first = async (ways: readonly Way[]) => {
    for (const way of ways) {
      const page = await unlessRefused(operation, () => ask(way))
      if (page !== undefined) return { way, page }
    }
    return undefined
  }
  const inBounds = await first(bounds)
  if (inBounds !== undefined || furthest === smaller) return inBounds ?? (await first(smaller))
  return (await first(furthest)) === undefined ? undefined : await first(smaller)
}

async function unlessRefused(
  operation: Operation,
  send: () => Promise<Page>,
): Promise<Page | undefined> {
  try {
    return await send()
  } catch (error) {
    if (refusesParameter(operation, error)) return undefined
    throw error
  }
}

function refusesParameter(operation: Operation, error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.retry.kind !== 'never') return false
  // A 422 counts only if it names the page size or a bound.
  const named = error.status === 422 && /page.?size|\b(?:from|to)\b/i.test(said(error))
  if (error.status !== 400 && !named) return false
  if (meansDeleted(operation, error) || meansWithheld(operation, error)) return false
  return !meansRefused(operation, error)
}

/** Joins the refusal's message and the fields that it names. */
function said({ facts, details }: ServiceError): string {
  const fields = details.flatMap((one) => {
    const field: unknown =
      typeof one === 'object' && one !== null && 'field' in one ? one.field : ''
    return typeof field === 'string' && /^\w{1,40}$/.test(field) ? [field] : []
  })
  return [facts.came, ...fields].join(' ')
}

/** Words that our error adds to the service's. */
const OWN_WORDS = /x-svc-trackingid \S+|sbx_\w+/g
/** All documented maximum page sizes are larger: a list that refuses this size refuses something else. */
const LEAST_SIZE = 10
/** If no way works for this many parents, the parameters are not the cause. */
const MOST_UNHELPED = 5
const MOST_AHEAD_MS = 86_400_000
