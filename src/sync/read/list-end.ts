import type { Page } from '../../api/answers/payload.ts'
import type { Stream } from '../../core/define/stream.ts'
import { PageTokenError, ServiceError, TransportError } from '../../core/errors.ts'
import type { SliceReading } from '../run/slice-reading.ts'

/** The pages of a pass so far. */
export interface PagesSeen {
  /** How many records the largest page had. */
  readonly largest: number
  /** How many records the last page had. */
  readonly last: number
  /** How many pages the list has, according to the last page. */
  readonly pageCount?: number | undefined
}

/** Passed from one pass over a list to the next. */
export interface Hint {
  /** The page size to request; undefined for the maximum. */
  readonly pageSize?: number | undefined
  /** After how many usable records a page token was refused. */
  readonly refusedAt?: number
  /** The records that came twice with equal content, and in how many consecutive passes. */
  readonly twins?: Twins | undefined
}

/** The records that a pass showed twice with the same content. */
interface Twins {
  readonly keys: string
  /** How many of the twins were on two pages. */
  readonly apart: number
  /** How many records the largest page had. */
  readonly largest: number
  readonly passes: number
}

/**
 * Whether the service has these records twice: two passes showed the same ones. Records repeated on one page
 * cannot come from a moving list, nor can equal repeats in two passes whose pages end at different places.
 */
export function areTwins(before: Twins | undefined, { keys, apart, largest }: Twins): boolean {
  return before?.keys === keys && (apart === 0 || before.largest !== largest)
}

type Pass = Pick<SliceReading, 'received' | 'quarantined' | 'serviceTotal'>

/**
 * Some services return a page token even with the last page, and then refuse it. If several pages together
 * have as many records as the total, the list is complete; the total of a single page may count only that
 * page. Without a total the token must be refused at the same place in two passes, after a last page that is
 * shorter than an earlier one. A filter can cause that too, so the second pass requests another page size
 * (`hint`): the pages of a list that goes on would end elsewhere. Transient refusals may cut two passes at
 * one place, so such an end is only `likely` until the token is refused repeatedly.
 */
export function endOf(
  error: unknown,
  { received, quarantined, serviceTotal, seen }: Pass & { seen: PagesSeen },
  hint: Hint,
): { end?: 'sure' | 'likely'; hint: Hint } {
  if (!isRefusedToken(error)) return { hint }
  // A quarantined record may appear in one pass and not in the next.
  const usable = received - quarantined
  if (serviceTotal !== undefined && received < serviceTotal) return { hint }
  if (received === serviceTotal && received > seen.largest) return { end: 'sure', hint }
  // Pages of at most one record cannot be split differently.
  const least = seen.largest <= 1
  const last = seen.last - quarantined
  if (hint.refusedAt === usable && (least || last < seen.largest)) return { end: 'likely', hint }
  const size = seen.last >= seen.largest ? last : seen.largest
  const pageSize = least ? hint.pageSize : Math.max(1, size - 1)
  return { hint: { pageSize, refusedAt: usable } }
}

/** Whether a refused token is also refused in `TIMES_AGAIN` more tries. */
export async function staysRefused(again: () => Promise<unknown>): Promise<boolean> {
  for (let times = 0; times < TIMES_AGAIN; times++) {
    try {
      await again()
      return false
    } catch (error) {
      if (!isRefusedToken(error)) throw error
    }
  }
  return true
}

function isRefusedToken(error: unknown): error is PageTokenError {
  return error instanceof PageTokenError && error.code === 'page_token'
}

/** Whether the service understood the request but rejects its form. */
export function isAskedWrongly(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 400 && error.retry.kind === 'never'
}

/**
 * Why a pass may not have shown the whole list, so that it must be read again. The number of distinct
 * records, not of received ones, is compared with the total: a list that moves while it is paged shows one
 * row twice in place of another. Neither a total below the received count, which counts something else, nor
 * an unusable record excuses a repeated row.
 */
export function unendedList(
  { operation }: Stream,
  reading: SliceReading,
  { pageCount }: PagesSeen,
): PageTokenError | undefined {
  const { received, repeats, pages, serviceTotal: total } = reading
  const different = differentIn(reading)
  const tried = `Reading all of ${operation.id}`
  const short = total !== undefined && different < total
  const lacksPages = pageCount !== undefined && pages < pageCount && different !== total
  const paged = operation.paging?.style === 'token'
  if (repeats > 0 && (short || (paged && different !== total)))
    return new PageTokenError('list_moved', {
      tried,
      expected:
        total === undefined ? 'no record twice' : `${total} records, the service's own total`,
      came: `${repeats} of ${received} records appeared twice, so others may be missing`,
      todo:
        'run again when the list changes less; a list that changes its order each time cannot be proven ' +
        'complete',
    })
  if (!short && !lacksPages) return undefined
  return new PageTokenError('short_list', {
    tried,
    expected: short
      ? `${total} records, the service's own total`
      : `${pageCount} pages, the service's own page_count`,
    came: `the list ended after ${short ? `${received} records` : `${pages} pages`}`,
    todo: "run again; if it repeats, contact the service's support and ask which count is right",
  })
}

/**
 * Whether the service's response proves that the list ends here: its total, its number of pages, or a page
 * token that is present and empty. A list without pages is complete as received.
 */
export function provesEnd(
  { operation: { paging } }: Stream,
  reading: SliceReading,
  { pageCount }: PagesSeen,
): boolean {
  const { serviceTotal, saysEnd, pages } = reading
  if (paging?.style !== 'token' || saysEnd) return true
  if (pageCount !== undefined && pageCount > 1 && pages >= pageCount) return true
  // A total that counts the records of each page proves nothing.
  return paging.total !== 'other' && serviceTotal === differentIn(reading)
}

/** The total with which a list is compared; undefined if it only counts the records of a page. */
export function heldTotal({ operation: { paging } }: Stream, page: Page): number | undefined {
  const { total, next, records, asked } = page
  if (total === undefined || paging?.style !== 'token') return total
  // If a next page follows although the total is reached, the total counts only this page.
  if (next !== undefined && total <= records.count) return undefined
  const size = asked.query?.page_size ?? paging.maxPageSize
  return paging.total === 'other' && total === size ? undefined : total
}

/** In a list with numbered pages, throws if the total or page count changed: rows may have shifted. */
export function refuseShifted(
  { operation }: Stream,
  page: Page,
  { reading, seen }: { reading: SliceReading; seen: PagesSeen },
): void {
  const { pages, serviceTotal } = reading
  if (pages === 0 || page.asked.query?.page_number === undefined) return
  const { pageCount = seen.pageCount, total = serviceTotal } = page
  if (pageCount === seen.pageCount && (serviceTotal === undefined || total === serviceTotal)) return
  throw new PageTokenError('list_moved', {
    tried: `Reading the pages of ${operation.id} by their numbers`,
    came:
      `the list changed from ${seen.pageCount} pages (total ${serviceTotal ?? 'unknown'}) to ` +
      `${pageCount} pages (total ${total ?? 'unknown'})`,
    todo: 'run again when the list changes less',
  })
}

function differentIn({ received, repeats, quarantined }: SliceReading): number {
  return received - repeats - (repeats > 0 ? quarantined : 0)
}

/** The error of a list with only unusable records, which proves as little as no response. */
export function unusableList(
  { operation, key }: Stream,
  { received, quarantined }: SliceReading,
): TransportError | undefined {
  if (received === 0 || quarantined < received) return undefined
  return new TransportError('no_usable_record', false, {
    tried: `Reading ${operation.id}`,
    expected: `records with ${key.join(' and ')}`,
    came: `none of the ${received} records is usable`,
    todo: "see the reasons in callsheet.quarantine, and contact the service's support",
  })
}

/** If one call in six is refused at random, five refusals in a row happen once in 7,776 times. */
const TIMES_AGAIN = 4
