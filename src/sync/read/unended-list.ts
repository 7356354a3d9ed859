import type { Page } from '../../api/client.ts'
import type { Stream } from '../../core/define/stream.ts'
import { PageTokenError, TransportError } from '../../core/errors.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import type { PagesSeen } from './refused-end.ts'

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
