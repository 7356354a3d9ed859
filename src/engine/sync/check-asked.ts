import type { Stream } from '../../core/declare/stream.ts'
import { UnusableValueError } from '../../core/errors/errors.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { isRecord } from '../../core/values/wire-record.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import { holds, instantIn } from './instant-in.ts'
import type { RecognisedPage } from './recognise.ts'

/**
 * Looks whether a record is one that was asked for: an answer to another question can be complete to the
 * last page. A row of the slice's own, that was asked for by itself and has not changed, needs no look.
 */
export function checkAsked(
  { stream, reading }: { stream: Stream; reading: SliceReading },
  page: RecognisedPage,
  { at, own }: { at: number; own: boolean },
): void {
  const { request, shown } = reading.slice
  if (request.disproved === undefined && (shown === undefined || (own && reading.alone))) return
  const record = parsed(page, at)
  if (!isRecord(record)) return
  if (request.disproved?.by(record) === true) throw otherList(stream, reading)
  const atMs = shown && instantIn(stream, record)
  if (shown === undefined || atMs === undefined || holds(shown, atMs)) return
  reading.outside++
  const aroundMs = { fromMs: shown.fromMs - DAY_MS, toMs: shown.toMs + DAY_MS }
  if (!holds(aroundMs, atMs)) reading.elsewhere++
}

/**
 * A window of which most rows lie elsewhere is the answer to another question. A row within a day of the
 * window is no sign of that: a service may count days in another zone, and a window may hold few rows.
 */
export function refuseOtherRange(stream: Stream, reading: SliceReading): void {
  const { elsewhere, received } = reading
  if (elsewhere * 2 <= received) return
  const { from, to } = reading.slice.request.arguments.query ?? {}
  throw new UnusableValueError('other_range', {
    tried: `reading ${stream.operation.id}`,
    expected: `records between from=${String(from)} and to=${String(to)}, as asked`,
    came: `${elsewhere} of ${received} records more than a day outside of that`,
    todo:
      'ask the service how it takes from and to (callsheet doctor --probe shows more); nothing of this ' +
      'slice was called missing',
  })
}

function otherList({ operation }: Stream, { slice }: SliceReading): UnusableValueError {
  return new UnusableValueError('other_list', {
    tried: `reading ${operation.id}`,
    expected: `the list ${slice.request.slice}`,
    came: 'records that cannot be in it, as of a service that does not know this list',
    todo: slice.request.disproved?.todo ?? 'ask the service how this list is asked for',
  })
}

function parsed(page: RecognisedPage, at: number): unknown {
  try {
    return page.parsedAt(at)
  } catch (error) {
    // Nested too deep to be parsed: it is set aside where it is taken.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
