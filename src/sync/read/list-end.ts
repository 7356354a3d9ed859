import type { Page } from '../../api/answers/payload.ts'
import type { Stream } from '../../core/define/stream.ts'
import { PageTokenError, ServiceError, TransportError } from '../../core/errors.ts'
import type { SliceReading } from '../run/slice-reading.ts'

/**
 * The pages of a pass so far: how many records the largest has, and how many the last, which may say of how
 * many pages the list is.
 */
export interface PagesSeen {
  readonly largest: number
  readonly last: number
  readonly pageCount?: number | undefined
}

/** What one pass over a list tells the next. */
export interface Hint {
  /** Records in a page, if other pages than the largest are to be asked for. */
  readonly pageSize?: number | undefined
  /** After how many usable records a page token was refused. */
  readonly refusedAt?: number
  /** Which records came twice alike, and in how many passes in a row. */
  readonly twins?: Twins | undefined
}

/** The records that a pass showed twice with the same content. */
interface Twins {
  readonly keys: string
  /** How many of them stood on two pages. */
  readonly apart: number
  /** How many records the largest page had. */
  readonly largest: number
  readonly passes: number
}

/**
 * The service has these records twice, if two passes show the same ones: one page cannot move while it is
 * read, and a list that moves shows another record twice where its pages end elsewhere.
 */
export function areTwins(before: Twins | undefined, { keys, apart, largest }: Twins): boolean {
  return before?.keys === keys && (apart === 0 || before.largest !== largest)
}

type Pass = Pick<SliceReading, 'received' | 'quarantined' | 'serviceTotal'>

/**
 * Some services give a page token with the last page, too, and refuse it. Where several pages have as many
 * records as the total there is nothing more; the total of one page may be that page's alone. Without a total
 * the token has to be refused at the same place in two passes, after a last page that is shorter than one
 * before it, which may be so by a filter too. So the second pass is asked with another size (`hint`): the
 * pages of a list that goes on would end elsewhere. Two passes may be cut off at one place by refusals that
 * pass, so that such an end is `likely` until the token is refused again and again.
 */
export function endOf(
  error: unknown,
  { received, quarantined, serviceTotal, seen }: Pass & { seen: PagesSeen },
  hint: Hint,
): { end?: 'sure' | 'likely'; hint: Hint } {
  if (!isRefusedToken(error)) return { hint }
  // What is no record may stand in one pass and not in the next.
  const usable = received - quarantined
  if (serviceTotal !== undefined && received < serviceTotal) return { hint }
  if (received === serviceTotal && received > seen.largest) return { end: 'sure', hint }
  // Pages of one record, or of none, cannot be cut otherwise.
  const least = seen.largest <= 1
  const last = seen.last - quarantined
  if (hint.refusedAt === usable && (least || last < seen.largest)) return { end: 'likely', hint }
  const size = seen.last >= seen.largest ? last : seen.largest
  const pageSize = least ? hint.pageSize : Math.max(1, size - 1)
  return { hint: { pageSize, refusedAt: usable } }
}

/** Whether a token that was refused is refused as often again. */
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

/** The service understood the request, and refuses it in this form. */
export function isAskedWrongly(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 400 && error.retry.kind === 'never'
}

/**
 * Why what a pass showed may not be the whole list, to be read again. What differs is held against the total,
 * not what came: a list that moves while it is paged shows one row twice in place of another. A total below
 * what came counts something else, so that it excuses no row that came twice, nor does a record that cannot
 * be used.
 */
export function unendedList(
  { operation }: Stream,
  reading: SliceReading,
  { pageCount }: PagesSeen,
): PageTokenError | undefined {
  const { received, repeats, pages, serviceTotal: total } = reading
  const different = differentIn(reading)
  const tried = `reading ${operation.id} to its end`
  const short = total !== undefined && different < total
  const lacksPages = pageCount !== undefined && pages < pageCount && different !== total
  const paged = operation.paging?.style === 'token'
  if (repeats > 0 && (short || (paged && different !== total)))
    return new PageTokenError('list_moved', {
      tried,
      expected:
        total === undefined ? 'no record twice' : `${total} records, the service's own total`,
      came: `${received} records, but ${repeats} of them were shown again, so that others may be missing`,
      todo: 'run again when less changes there; what has another order each time cannot be proven whole',
    })
  if (!short && !lacksPages) return undefined
  return new PageTokenError('short_list', {
    tried,
    expected: short
      ? `${total} records, the service's own total`
      : `${pageCount} pages, the service's own page_count`,
    came: short ? `the last page after ${received}` : `the last page after ${pages}`,
  })
}

/**
 * Whether anything that the service said proves that the list ends here: its total, the number of its pages,
 * or a page token that is there and empty. A list without pages is whole as it comes.
 */
export function provesEnd(
  { operation: { paging } }: Stream,
  reading: SliceReading,
  { pageCount }: PagesSeen,
): boolean {
  const { serviceTotal, saysEnd, pages } = reading
  if (paging?.style !== 'token' || saysEnd) return true
  if (pageCount !== undefined && pageCount > 1 && pages >= pageCount) return true
  // One that counts the records of each page proves nothing.
  return paging.total !== 'other' && serviceTotal === differentIn(reading)
}

/** The total that a list is held against. What counts the records of a page is none. */
export function heldTotal({ operation: { paging } }: Stream, page: Page): number | undefined {
  const { total, next, records, asked } = page
  if (total === undefined || paging?.style !== 'token') return total
  // No list goes on that is whole.
  if (next !== undefined && total <= records.count) return undefined
  const size = asked.query?.page_size ?? paging.maxPageSize
  return paging.total === 'other' && total === size ? undefined : total
}

/** In a list by page numbers a row that is added or removed meanwhile moves others over borders of pages. */
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
    tried: `reading the pages of ${operation.id} by their numbers`,
    expected: `${seen.pageCount} pages and a total of ${serviceTotal ?? 'nothing'}, as on the first page`,
    came: `${pageCount} pages and a total of ${total ?? 'nothing'}`,
    todo: 'run again when less changes there',
  })
}

function differentIn({ received, repeats, quarantined }: SliceReading): number {
  return received - repeats - (repeats > 0 ? quarantined : 0)
}

/** A list of nothing but records that are none tells as little as no answer. */
export function unusableList(
  { operation, key }: Stream,
  { received, quarantined }: SliceReading,
): TransportError | undefined {
  if (received === 0 || quarantined < received) return undefined
  return new TransportError('no_usable_record', false, {
    tried: `reading ${operation.id}`,
    expected: `records with ${key.join(' and ')}`,
    came: `${received} records, none of which can be used`,
    todo: 'see what came in callsheet.quarantine, and ask the service for what it means',
  })
}

/** Of refusals that strike each sixth call as many in a row are one in ten thousand. */
const TIMES_AGAIN = 4
