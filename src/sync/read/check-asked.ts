import { namesOther, otherRecord } from '../../api/answers/read-json.ts'
import { plainInstant } from '../../core/define/column.ts'
import type { RowContext, Stream } from '../../core/define/stream.ts'
import { type CallsheetError, UnusableValueError } from '../../core/errors.ts'
import { keyHash, keyOf } from '../../core/records/record-key.ts'
import type { ShownKeys } from '../../core/records/row-index.ts'
import { holds } from '../../core/time/spans.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { isRecord, type WireRecord } from '../../core/values/json.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'
import type { PageCounts, SliceReading } from '../run/slice-reading.ts'
import type { RecognisedPage } from './recognise.ts'

/**
 * How a record differs from the request: outside the requested range, outside by more than a day
 * (`elsewhere`), of another list, or of another parent.
 */
export type Stray = 'outside' | 'elsewhere' | OtherAnswer
export type OtherAnswer = 'other_list' | 'other_record'

interface Noting {
  stream: Stream
  slice: PlannedSlice
  context: RowContext
  beside: { keys: ShownKeys }
  counts: PageCounts
}

/**
 * Returns how a record differs from the request, since a complete response may be to another request. An
 * unchanged row of a slice that is alone in its group needs no check of its range.
 */
export function checkAsked(
  { stream, slice, alone }: { stream: Stream; slice: PlannedSlice; alone: boolean },
  page: RecognisedPage,
  { at, own }: { at: number; own: boolean },
): Stray | undefined {
  const { request, shown } = slice
  const { operation } = stream
  // A known row was accepted from this parent before, so its name is not checked again.
  const isNamed = operation.names !== undefined && !own
  const isPlain = request.disproved === undefined && !isNamed
  if (isPlain && (shown === undefined || (own && alone))) return undefined
  const record = parsedAt(page, at)
  if (record === undefined) return undefined
  if (namesOther(operation, request.arguments, record)) return 'other_record'
  if (request.disproved?.by(record) === true) return 'other_list'
  const atMs = shown && instantIn(stream, record)
  if (shown === undefined || atMs === undefined || holds(shown, atMs)) return undefined
  const aroundMs = { fromMs: shown.fromMs - DAY_MS, toMs: shown.toMs + DAY_MS }
  return holds(aroundMs, atMs) ? 'outside' : 'elsewhere'
}

/** Notes a record's key, so that its row is not deleted because another list did not show it. */
export function noteBeside(noting: Noting, page: RecognisedPage, at: number): void {
  noteSide(noting, page, at)
  const { stream, context, beside } = noting
  const record = parsedAt(page, at)
  const found = record && keyOf(stream, record, context)
  if (found !== undefined && 'key' in found) beside.keys.note(keyHash(found.key))
}

/** Counts a record as before or after the month's end that its slice spans. */
function noteSide({ stream, slice, counts }: Noting, page: RecognisedPage, at: number): void {
  const { monthEndMs } = slice
  const record = monthEndMs === undefined ? undefined : parsedAt(page, at)
  const atMs = record && instantIn(stream, record)
  if (atMs === undefined || monthEndMs === undefined) return
  counts[atMs < monthEndMs ? 'beforeEnd' : 'afterEnd']++
}

/** The instant by which a window owns a record; undefined if it has no readable one. */
export function instantIn({ sync }: Stream, record: WireRecord): number | undefined {
  const instant = sync.kind === 'windows' ? plainInstant(record[sync.cursor]) : undefined
  return instant === undefined ? undefined : Date.parse(instant)
}

/**
 * Detects the response to another request: most of its records are more than a day outside the window.
 * Records within a day do not count: a service may count days in another zone, and a window may contain few
 * rows.
 */
export function otherRange(
  { operation }: Stream,
  { slice, elsewhere, received }: SliceReading,
): UnusableValueError | undefined {
  if (elsewhere * 2 <= received) return undefined
  const { from, to } = slice.request.arguments.query ?? {}
  return new UnusableValueError('other_range', {
    tried: `Reading ${operation.id} from=${String(from)} to=${String(to)}`,
    came: `${elsewhere} of ${received} records are more than a day outside this range`,
    todo:
      "contact the service's support and ask how from and to are interpreted; no row was " +
      'counted as missing',
  })
}

interface Saying {
  stream: Stream
  slice: PlannedSlice
  context: RowContext
  said: Set<string>
}

/** Notes a record's value of the filtered field, or the filter's value if the record's is undocumented. */
export function noteSaid({ stream, slice, context, said }: Saying, record: WireRecord): void {
  if (stream.sync.kind !== 'snapshot') return
  for (const [name, asked] of Object.entries(slice.request.filter)) {
    const own = stream.derive?.(record, { ...context, filter: {} })[name]
    const known = stream.columns[name]?.known ?? []
    said.add(known.find((one) => one === own)?.toString() ?? asked)
  }
}

/** Notes the values of a row shown before, too: a list that moved shows its rows again. */
export function noteSaidAgain(saying: Saying, page: RecognisedPage, at: number): void {
  const { sync } = saying.stream
  if (sync.kind !== 'snapshot' || Object.keys(saying.slice.request.filter).length === 0) return
  const record = parsedAt(page, at)
  if (record !== undefined) noteSaid(saying, record)
}

/**
 * Detects a list of new or changed records that all have one value, which differs from its filter: the
 * service may ignore the filter and show its default list. Several values mean that it shows all records.
 */
export function otherFilter(
  stream: Stream,
  { slice, unchanged, received }: SliceReading,
  said: ReadonlySet<string>,
): CallsheetError | undefined {
  const asked = Object.values(slice.request.filter)
  if (received === 0 || unchanged > 0 || said.size !== 1 || asked.some((one) => said.has(one)))
    return undefined
  return otherAnswer(stream, slice, 'other_list')
}

export function otherAnswer(
  { operation }: Stream,
  { request }: PlannedSlice,
  other: OtherAnswer,
): CallsheetError {
  if (other === 'other_record') return otherRecord(operation, request.arguments)
  return new UnusableValueError('other_list', {
    tried: `Reading ${operation.id}, ${request.slice}`,
    came: 'the service returned records that do not belong to this list',
    todo:
      request.disproved?.todo ?? "contact the service's support and ask how to request this list",
  })
}

/**
 * Refuses a record that only the unfiltered list shows and that lacks the field by which other lists are
 * filtered: its value is unknown, and must not be stored as empty.
 */
export function refuseMissingField(
  { operation, sync, derive }: Stream,
  { request }: PlannedSlice,
  { record, context }: { record: WireRecord; context: RowContext },
): void {
  if (request.ifMore !== true || sync.kind !== 'snapshot') return
  const own = derive?.(record, context) ?? record
  const name = sync
    .requests()
    .flatMap(({ filter }) => Object.keys(filter))
    .find((one) => own[one] === undefined)
  if (name === undefined) return
  throw new UnusableValueError('missing_filter_field', {
    tried: `Reading ${operation.id}, ${request.slice}`,
    came: `a record has no ${name}, and no list filtered by ${name} contains it`,
    todo: `contact the service's support and ask for the ${name} of this record; the record was not stored`,
  })
}

/** Parses a record of a page; undefined if it is not an object or nested too deep. */
function parsedAt(page: RecognisedPage, at: number): WireRecord | undefined {
  try {
    const record = page.parsedAt(at)
    return isRecord(record) ? record : undefined
  } catch (error) {
    // `applyPage` quarantines a record that is nested too deep to be parsed.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
