import type { Stream } from '../../core/declare/stream.ts'
import { PageTokenError, TransportError } from '../../core/errors/errors.ts'
import type { SliceReading } from '../run/slice-reading.ts'

/**
 * Why what a pass showed may not be the whole list, to be read again. What differs is held against the total,
 * not what came: a list that moves while it is paged shows one row twice in place of another. A total below
 * what came counts something else, so that it excuses no row that came twice, nor does a record that cannot
 * be used.
 */
export function unendedList(
  { operation }: Stream,
  { received, repeats, quarantined, serviceTotal: total }: SliceReading,
): PageTokenError | undefined {
  const different = received - repeats - (repeats > 0 ? quarantined : 0)
  const tried = `reading ${operation.id} to its end`
  const short = total !== undefined && different < total
  const paged = operation.paging?.style === 'token'
  if (repeats > 0 && (short || (paged && different !== total)))
    return new PageTokenError('list_moved', {
      tried,
      expected:
        total === undefined ? 'no record twice' : `${total} records, the service's own total`,
      came: `${received} records, but ${repeats} of them were shown again, so that others may be missing`,
      todo: 'run again when less changes there; what has another order each time cannot be proven whole',
    })
  if (!short) return undefined
  return new PageTokenError('short_list', {
    tried,
    expected: `${total} records, the service's own total`,
    came: `the last page after ${received}`,
  })
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
