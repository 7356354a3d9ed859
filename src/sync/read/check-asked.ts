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
 * Outside the range that was asked for, by more than a day (`elsewhere`), of another list altogether, or of
 * another parent.
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
 * Looks whether a record is one that was asked for: an answer to another question can be complete to the
 * last page. A row of the slice's own, that was asked for by itself and has not changed, needs no look.
 */
export function checkAsked(
  { stream, slice, alone }: { stream: Stream; slice: PlannedSlice; alone: boolean },
  page: RecognisedPage,
  { at, own }: { at: number; own: boolean },
): Stray | undefined {
  const { request, shown } = slice
  const { operation } = stream
  // A known row was accepted from this parent before.
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

/** What any list of the run shows is not called deleted by another that should have shown it. */
export function noteBeside(noting: Noting, page: RecognisedPage, at: number): void {
  noteSide(noting, page, at)
  const { stream, context, beside } = noting
  const holder = page.heldAt(at)
  if (holder !== undefined) return holder.noteKey(page.hashes, at * 16, beside.keys)
  const record = parsedAt(page, at)
  const found = record && keyOf(stream, record, context)
  if (found !== undefined && 'key' in found) beside.keys.note(keyHash(found.key))
}

/** Counts a record on its side of the end of a month that its slice reaches over. */
function noteSide({ stream, slice, counts }: Noting, page: RecognisedPage, at: number): void {
  const { monthEndMs } = slice
  const record = monthEndMs === undefined ? undefined : parsedAt(page, at)
  const atMs = record && instantIn(stream, record)
  if (atMs === undefined || monthEndMs === undefined) return
  counts[atMs < monthEndMs ? 'beforeEnd' : 'afterEnd']++
}

/** The instant by which a window owns a record; undefined where it has none that can be read. */
export function instantIn({ sync }: Stream, record: WireRecord): number | undefined {
  const instant = sync.kind === 'windows' ? plainInstant(record[sync.cursor]) : undefined
  return instant === undefined ? undefined : Date.parse(instant)
}

/**
 * A window of which most rows lie elsewhere is the answer to another question. A row within a day of the
 * window is no sign of that: a service may count days in another zone, and a window may hold few rows.
 */
export function otherRange(
  { operation }: Stream,
  { slice, elsewhere, received }: SliceReading,
): UnusableValueError | undefined {
  if (elsewhere * 2 <= received) return undefined
  const { from, to } = slice.request.arguments.query ?? {}
  return new UnusableValueError('other_range', {
    tried: `reading ${operation.id}`,
    expected: `records between from=${String(from)} and to=${String(to)}, as asked`,
    came: `${elsewhere} of ${received} records more than a day outside of that`,
    todo: 'ask the service how it takes from and to; nothing of this slice was called missing',
  })
}

interface Saying {
  stream: Stream
  slice: PlannedSlice
  context: RowContext
  said: Set<string>
}

/** Notes what a record says itself of what its list is filtered by. */
export function noteSaid({ stream, slice, context, said }: Saying, record: WireRecord): void {
  if (stream.sync.kind !== 'snapshot') return
  for (const [name, asked] of Object.entries(slice.request.filter)) {
    const own = stream.derive?.(record, { ...context, filter: {} })[name]
    const known = stream.columns[name]?.known ?? []
    said.add(known.find((one) => one === own)?.toString() ?? asked)
  }
}

/** The same of a row that was shown before, as a list that moved shows its rows again. */
export function noteSaidAgain(saying: Saying, page: RecognisedPage, at: number): void {
  const { sync } = saying.stream
  if (sync.kind !== 'snapshot' || Object.keys(saying.slice.request.filter).length === 0) return
  const record = parsedAt(page, at)
  if (record !== undefined) noteSaid(saying, record)
}

/**
 * A list of which each record says one and the same other value than it is filtered by: the service may heed
 * no filter and show what it shows without one. One that shows records of several values shows all.
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
    tried: `reading ${operation.id}`,
    expected: `the list ${request.slice}`,
    came: 'records that cannot be in it, as of a service that does not know this list',
    todo: request.disproved?.todo ?? 'ask the service how this list is asked for',
  })
}

/**
 * Refuses a record that only the list without a filter shows and that says nothing itself of what the others
 * are filtered by: what it has there nobody knows, and it may not be stored as having nothing.
 */
export function refuseUnsaid(
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
  throw new UnusableValueError('nowhere_said', {
    tried: `reading ${operation.id}, ${request.slice}`,
    expected: `records that say their ${name}, or that a list by ${name} shows`,
    came: 'a record of which neither is so',
    todo: `ask the service which ${name} such a record has; it was not stored`,
  })
}

/** A record of a page; undefined if it is none. */
function parsedAt(page: RecognisedPage, at: number): WireRecord | undefined {
  try {
    const record = page.parsedAt(at)
    return isRecord(record) ? record : undefined
  } catch (error) {
    // Nested too deep to be parsed: it is set aside where it is taken.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
