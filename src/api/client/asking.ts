import { meansGone, meansWithheld } from '../../core/declare/means-gone.ts'
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
 * are left out for good only where the lists of two parents refuse them.
 */
export function createAsking(clock: Clock, found: FoundReadings | undefined): Asking {
  /** Operations for which no other way helped, or none was needed. */
  const done = new Set<string>()
  /** By operation, the parents whose lists refused bounds. One parent says nothing of the others. */
  const unbounded = new Map<string, Set<string>>()
  const isFirst = ({ id }: Operation, { path }: CallArguments): boolean => {
    const parents = unbounded.get(id) ?? new Set()
    unbounded.set(id, parents.add(Object.values(path ?? {}).join('/')))
    return path !== undefined && parents.size < 2
  }
  let aheadMs = 0
  const now = (): number => clock.now() - aheadMs
  return async (operation, args, send) => {
    if (args.query?.next_page_token !== undefined) return await send(args)
    const usual = askedBy(knownWay(operation, found), { operation, args, nowMs: now() })
    try {
      return await send(usual)
    } catch (error) {
      if (!refusesParameter(operation, error) || done.has(operation.id)) throw error
      aheadMs = Math.max(aheadMs, clock.now() - (error.serverDateMs ?? clock.now()))
      for (const way of otherWays(operation, usual, { error, nowMs: now() })) {
        const page = await taken(operation, () =>
          send(askedBy(way, { operation, args: usual, nowMs: now() })),
        )
        if (page === undefined) continue
        const again = await taken(operation, () => send(usual))
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
      done.add(operation.id)
      throw error
    }
  }
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

/** The least change first; half the page, and half of that, in the end. */
function otherWays(
  operation: Operation,
  args: CallArguments,
  { error, nowMs }: { error: ServiceError; nowMs: number },
): Way[] {
  const words = said(error)
  const ofSize = /page.?size/i.test(words)
  // Another field is named: none of these is at fault.
  if (!ofSize && /\b[a-z]+_[a-z_]+\b/.test(words.replaceAll(OWN_WORDS, ''))) return []
  const bounds: Way[] = [
    ...(isFuture(args.query?.to, nowMs) ? [{ future: 'refused' as const }] : []),
    ...((operation.undocumented ?? []).some((name) => args.query?.[name] !== undefined)
      ? [{ bounds: 'left out' as const }]
      : []),
  ]
  const sizes: Way[] = []
  if (operation.paging?.style === 'token')
    for (let size = sizeOf(operation, args); size > (ofSize ? 1 : LEAST_SIZE); )
      sizes.push({ pageSize: (size = Math.ceil(size / 2)) })
  const both = sizes.flatMap((size) => [size, ...bounds.map((bound) => ({ ...size, ...bound }))])
  return [...bounds, ...both]
}

function sizeOf({ paging }: Operation, { query }: CallArguments): number {
  const most = paging?.style === 'token' ? paging.maxPageSize : 1
  return typeof query?.page_size === 'number' ? query.page_size : most
}

function isFuture(to: unknown, nowMs: number): boolean {
  if (typeof to !== 'string') return false
  return to.length === 10 ? to > utcDay(nowMs) : Date.parse(to) > nowMs
}

/** Undefined where it is refused for a parameter as well. */
async function taken(operation: Operation, send: () => Promise<Page>): Promise<Page | undefined> {
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
  if (meansGone(operation, error) || meansWithheld(operation, error)) return false
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
