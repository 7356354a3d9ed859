import { meansDeleted, meansWithheld } from '../../core/declare/means-deleted.ts'
import { meansRefused } from '../../core/declare/means-refused.ts'
import type { CallArguments, Operation } from '../../core/declare/operation.ts'
import type { FoundReadings } from '../../core/declare/ports.ts'
import { ServiceError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { utcDay, utcInstant } from '../../core/time/time.ts'
import type { Page } from '../answers/payload.ts'

export type Asking = (
  operation: Operation,
  args: CallArguments,
  send: (args: CallArguments) => Promise<Page>,
) => Promise<Page>

/** What a service may not take of what a list is asked with, and what it takes in its place. */
interface Way {
  pageSize?: number
  future?: 'refused'
  bounds?: 'left out'
}

/**
 * Asks for a first page as the service wants it. The documents do not tell every maximum of a page, nor
 * each bound that a list takes. A page that is refused for a parameter is asked for in other ways, and once
 * more as before, so that a passing refusal changes nothing; what works is remembered for the account. Bounds
 * are left out for good only where the lists of two parents refuse them, and never where another parent's
 * list took them.
 */
export function createAsking(clock: Clock, found: FoundReadings | undefined): Asking {
  /** By operation, the parents whose lists no other way helped. */
  const unhelped = new Map<string, Set<string>>()
  /** Operations of which a list took bounds. */
  const bounded = new Set<string>()
  /** By operation, the parents whose lists refused bounds. One parent says nothing of the others. */
  const unbounded = new Map<string, Set<string>>()
  const isFirst = ({ id }: Operation, args: CallArguments): boolean =>
    args.path !== undefined && added(unbounded, id, parentOf(args)).size < 2
  const isHopeless = ({ id }: Operation, args: CallArguments): boolean => {
    const parents = unhelped.get(id)
    return parents !== undefined && (parents.size >= MOST_UNHELPED || parents.has(parentOf(args)))
  }
  /** How far our clock is ahead of the service's, by the refusal of the last call. */
  let aheadMs = 0
  const now = (): number => clock.now() - aheadMs
  return async (operation, args, send) => {
    if (args.query?.next_page_token !== undefined) return await send(args)
    const usual = askedBy(knownWay(operation, found), { operation, args, nowMs: now() })
    const ask = (way: Way) => send(askedBy(way, { operation, args: usual, nowMs: now() }))
    try {
      const page = await send(usual)
      if (hasBounds(operation, usual)) bounded.add(operation.id)
      return page
    } catch (error) {
      if (!refusesParameter(operation, error) || isHopeless(operation, args)) throw error
      aheadMs = aheadBy(clock.now(), error)
      const asked = { error, nowMs: now(), isBounded: bounded.has(operation.id) }
      const other = await taken(operation, otherWays(operation, usual, asked), ask)
      if (other === undefined) {
        added(unhelped, operation.id, parentOf(args))
        throw error
      }
      const { way, page } = other
      const again = await unlessRefused(operation, () => send(usual))
      if (again !== undefined) return again
      if (way.bounds !== undefined && isFirst(operation, args)) {
        // Without bounds the service may show today alone, so an empty list proves nothing.
        if (page.records.count === 0) throw error
        return page
      }
      for (const one of findings(operation, way))
        await found?.remember({ ...one, shownBy: said(error) })
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

/** None where the two differ by more than clocks do: then it is the header that is wrong. */
function aheadBy(nowMs: number, { serverDateMs = nowMs }: ServiceError): number {
  const aheadMs = nowMs - serverDateMs
  return aheadMs > 0 && aheadMs < MOST_AHEAD_MS ? aheadMs : 0
}

function knownWay({ id }: Operation, found: FoundReadings | undefined): Way {
  const pageSize = Number(found?.get(`page_size:${id}`))
  return {
    ...(pageSize >= 1 ? { pageSize } : {}),
    ...(found?.get(`future_to:${id}`) === 'refused' ? { future: 'refused' } : {}),
    ...(found?.get(`bounds:${id}`) === 'left out' ? { bounds: 'left out' } : {}),
  }
}

function findings({ id }: Operation, { pageSize, future, bounds }: Way) {
  return [
    ...(pageSize === undefined ? [] : [{ reading: `page_size:${id}`, variant: String(pageSize) }]),
    ...(future === undefined ? [] : [{ reading: `future_to:${id}`, variant: future }]),
    ...(bounds === undefined ? [] : [{ reading: `bounds:${id}`, variant: bounds }]),
  ]
}

function askedBy(
  { pageSize, future, bounds }: Way,
  { operation, args, nowMs }: { operation: Operation; args: CallArguments; nowMs: number },
): CallArguments {
  const query = { ...args.query }
  if (pageSize !== undefined) query.page_size = Math.min(pageSize, sizeOf(operation, args))
  if (future !== undefined && isFuture(query.to, nowMs)) {
    query.to = String(query.to).length === 10 ? utcDay(nowMs) : utcInstant(nowMs)
  }
  if (bounds !== undefined) for (const name of operation.undocumented ?? []) delete query[name]
  return { ...args, query }
}

interface OtherWays {
  /** In other bounds. */
  bounds: readonly Way[]
  /** Those of `smaller` that change the most: where none of them helps, no other does. */
  furthest: readonly Way[]
  /** Half the page, and half of that, in each of the bounds. */
  smaller: readonly Way[]
}

function otherWays(
  operation: Operation,
  args: CallArguments,
  { error, nowMs, isBounded }: { error: ServiceError; nowMs: number; isBounded: boolean },
): OtherWays {
  const words = said(error)
  const ofSize = /page.?size/i.test(words)
  // Another field is named: none of these is at fault.
  if (!ofSize && /\b[a-z]+_[a-z_]+\b/.test(words.replaceAll(OWN_WORDS, '')))
    return { bounds: [], furthest: [], smaller: [] }
  const bounds: Way[] = [
    ...(isFuture(args.query?.to, nowMs) ? [{ future: 'refused' as const }] : []),
    ...(hasBounds(operation, args) && !isBounded ? [{ bounds: 'left out' as const }] : []),
  ]
  const sizes: Way[] = []
  if (operation.paging?.style === 'token')
    for (let size = sizeOf(operation, args); size > (ofSize ? 1 : LEAST_SIZE); )
      sizes.push({ pageSize: (size = Math.ceil(size / 2)) })
  const inBounds = (size: Way): Way[] => [size, ...bounds.map((bound) => ({ ...size, ...bound }))]
  const smaller = sizes.flatMap(inBounds)
  // A size that is named may have a minimum too.
  const furthest = ofSize ? smaller : sizes.slice(-1).flatMap(inBounds)
  return { bounds, furthest, smaller }
}

/** Bounds that no document shows for it. */
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

/** The first way that is not refused for a parameter as well, and its page. */
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
  // A 422 says of which field it speaks.
  const named = error.status === 422 && /page.?size|\b(?:from|to)\b/i.test(said(error))
  if (error.status !== 400 && !named) return false
  if (meansDeleted(operation, error) || meansWithheld(operation, error)) return false
  return !meansRefused(operation, error)
}

/** The refusal's own words, and the fields that it names. */
function said({ facts, details }: ServiceError): string {
  const fields = details.flatMap((one) => {
    const field: unknown =
      typeof one === 'object' && one !== null && 'field' in one ? one.field : ''
    return typeof field === 'string' && /^\w{1,40}$/.test(field) ? [field] : []
  })
  return [facts.came, ...fields].join(' ')
}

/** What an error of ours says besides the service's words. */
const OWN_WORDS = /x-svc-trackingid \S+|sbx_\w+/g
/** The documents know pages of 30, 50 and 100 at the most; one that takes no ten refuses something else. */
const LEAST_SIZE = 10
/** After so many parents whose lists nothing helps, it is not the way they are asked for. */
const MOST_UNHELPED = 5
const MOST_AHEAD_MS = 86_400_000
