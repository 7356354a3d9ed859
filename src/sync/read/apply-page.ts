import type { Words } from '../../core/define/own-words.ts'
import type { RowContext, Stream } from '../../core/define/stream.ts'
import { type FingerprintTable, orderOf } from '../../core/records/fingerprint-table.ts'
import { TOO_LONG } from '../../core/records/page-records.ts'
import { prepareRow } from '../../core/records/prepare-row.ts'
import { rawText } from '../../core/records/record-hash.ts'
import { keyHash, keyOf, TOO_DEEP, unfitness } from '../../core/records/record-key.ts'
import type { Batch } from '../../core/records/row-batch.ts'
import { readWord, type ShownKeys } from '../../core/records/row-index.ts'
import type { PartFields } from '../../core/records/row-part.ts'
import { holds, type Window } from '../../core/time/spans.ts'
import { isRecord, type WireRecord } from '../../core/values/json.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'
import { noPageCounts, type PageCounts } from '../run/slice-reading.ts'
import {
  checkAsked,
  instantIn,
  noteBeside,
  noteSaid,
  noteSaidAgain,
  type OtherAnswer,
  refuseMissingField,
} from './check-asked.ts'
import { leftOut } from './left-out.ts'
import { MOST_ENTRIES, quarantine } from './quarantine.ts'
import { type Keeping, keptOf, type RecognisedPage, type Unknown } from './recognise.ts'
import { refuseOther, type TimelessContents, type TimelessRows } from './timeless-rows.ts'

/** The context in which the pages of a slice are compared. */
export interface SliceContext {
  stream: Stream
  /** The group has no other slice. */
  alone: boolean
  /** Windows of lower rank that were not read to their end: new and changed records in them are ignored. */
  unread: readonly Window[]
  table: FingerprintTable
  /** Keys of rows that lists showed but do not own. An `idle` list owns no rows, so it adds all its keys. */
  beside: { keys: ShownKeys; idle: boolean }
  timeless?: TimelessRows | undefined
  contents: TimelessContents
  /** Keys of records that the group's lists showed outside the part that the account keeps. */
  apart: ShownKeys
}

interface PageContext extends SliceContext, Pick<Keeping, 'suppression' | 'policy'> {
  slice: PlannedSlice
  nestedStreams: readonly Stream[]
  batch: Batch
  /** The counts of earlier pages, since the number of stored quarantined records is limited. */
  before: Readonly<Pick<PageCounts, 'quarantined' | 'nested'>>
  /** The keys that this pass over the slice has shown so far. */
  shown: ShownKeys
  /** Hashes of the records without a usable key that this pass has shown so far. */
  nameless: ShownKeys
  /** The records' values of the filtered fields; for a record without a documented value, the filter's. */
  said: Set<string>
  sequence: number
  words?: Words | undefined
  /** The part of the stream's records that the account keeps; undefined if it keeps all. */
  part?: PartFields | undefined
}

/** The result of a page, up to its first record of another list or parent, if it has one. */
export interface AppliedPage {
  counts: PageCounts
  other: OtherAnswer | undefined
}

/**
 * Compares each record of a page with the table. A record whose content a row already has is only counted;
 * only other records can become rows.
 */
export function applyPage(pageContext: PageContext, page: RecognisedPage): AppliedPage {
  const { slice, table, shown, nameless, beside, words } = pageContext
  const { request, parent } = slice
  const context: RowContext = {
    ordinal: 0,
    filter: request.filter,
    words,
    ...(parent === undefined ? {} : { parent: { key: parent, record: undefined } }),
  }
  const order = orderOf(request.rank ?? 0, pageContext.sequence)
  const counts = noPageCounts()
  const applying = { ...pageContext, counts, context, order }
  let other: OtherAnswer | undefined
  for (let at = 0; at < page.count; at++) {
    counts.received++
    const isHeld = page.isHeld(at)
    const stray = checkAsked(pageContext, page, { at, own: isHeld })
    other = stray === 'other_list' || stray === 'other_record' ? stray : undefined
    if (other !== undefined) break
    if (stray !== undefined) counts.outside++
    if (stray === 'elsewhere') counts.elsewhere++
    if (stray !== undefined || beside.idle) noteBeside(applying, page, at)
    const noted = shown.size + shown.repeats
    const aside = leftOut(applying, page, at)
    if (aside !== undefined) {
      counts[aside]++
      if (shown.size + shown.repeats === noted) nameless.note(page.hashes, at * 16)
      continue
    }
    if (isHeld) table.noteKey(page.hashes, at * 16, shown)
    const known = isHeld ? table.show(page.hashes, at * 16, order) : undefined
    if (known === 'unchanged') counts.unchanged++
    else if (known !== undefined) {
      counts.ignored++
      noteSaidAgain(applying, page, at)
    } else counts[takeUnknown(applying, page, at)]++
    if (shown.size + shown.repeats === noted) nameless.note(page.hashes, at * 16)
  }
  return { counts, other }
}

interface Applying extends PageContext {
  counts: PageCounts
  context: RowContext
  order: number
}

type Verdict = 'fresh' | 'changed' | 'unchanged' | 'ignored' | 'erased' | 'quarantined'

function takeUnknown(applying: Applying, page: RecognisedPage, at: number): Verdict {
  const { stream, shown, context } = applying
  if (page.isTooLong(at)) return quarantine(applying, TOO_LONG, '')
  try {
    const received = page.unknownAt(at)
    const kept = keptOf(received, applying)
    if (kept !== undefined) return takeRecord(applying, kept)
    const found = isRecord(received.record) ? keyOf(stream, received.record, context) : undefined
    if (found !== undefined && 'key' in found)
      shown.note(keyHash(found.key), 0, readWord(received.hash, 0))
    return 'erased'
  } catch (error) {
    // A deeply nested record can overflow the stack when it is parsed or printed.
    if (!(error instanceof RangeError)) throw error
    return quarantine(applying, TOO_DEEP, page.sourceOf(at))
  }
}

function takeRecord(applying: Applying, { record, hash, sourceOf }: Unknown): Verdict {
  const { stream, nestedStreams, slice, shown, context, order, counts, before } = applying
  if (record === null || (isRecord(record) && Object.keys(record).length === 0)) counts.hollow++
  if (!isRecord(record)) return quarantine(applying, 'not an object', sourceOf())
  const found = keyOf(stream, record, context)
  if ('refused' in found) return quarantine(applying, found.refused, sourceOf())
  const key = keyHash(found.key)
  shown.note(key, 0, readWord(hash, 0))
  noteSaid(applying, record)
  const { table, batch } = takerOf(applying, record, key)
  const { owned, request } = slice
  if (owned !== undefined && !request.rank && instantIn(stream, record) === undefined)
    refuseOther(applying.contents, stream, { key: found.key, hash, slice: request.slice })
  const judgement = table.judge(key, hash, order)
  if (judgement === 'unchanged') return 'unchanged'
  // A known row belongs to this group until its change is written, even if the change moves it elsewhere.
  const elsewhere = judgement === 'new' && !isOwned(applying, record)
  const placedBy = placesOf(applying, record)
  const isRival = (request.rank ?? 0) === 0 && placedBy.length > 0
  const late = judgement === 'superseded' && isRival && isOwned(applying, record)
  if (judgement === 'superseded' && !(late && table.differs(key, hash))) return 'ignored'
  if (elsewhere || judgement === 'repeated' || isUnread(applying, record)) return 'ignored'
  refuseMissingField(stream, slice, { record, context })
  const { findings, quarantined } = batch
  const aside = quarantined.length
  const source = sourceOf()
  const unfit = unfitness(record, { source, nestedStreams })
  if (unfit !== undefined) return quarantine(applying, unfit, source)
  const prepared = prepareRow({ stream, nestedStreams, findings, quarantined }, record, {
    key: found.key,
    context,
    text: rawText(stream, record, source),
    hash,
    source: stream.audited === true ? source : undefined,
    slice: request.slice,
    owned,
  })
  const placed = { ...prepared, placedBy }
  counts.nested += quarantined.length - aside
  if (before.nested + counts.nested > MOST_ENTRIES) quarantined.length = aside
  if (late) batch.known.push({ ...placed, late })
  if (late) return 'ignored'
  table.admit(key, hash, order)
  batch[judgement === 'new' ? 'fresh' : 'known'].push(placed)
  return judgement === 'new' ? 'fresh' : 'changed'
}

/**
 * A record without a readable instant belongs to no window, unless the window has the row already. A row
 * stored without an instant stays with the timeless rows until the change that gives it one is written.
 */
function takerOf(
  { stream, slice, table, batch, timeless }: PageContext,
  record: WireRecord,
  key: Buffer,
): Pick<PageContext, 'table' | 'batch'> {
  if (timeless === undefined || slice.owned === undefined) return { table, batch }
  const of = timeless.table
  const known = table.has(key) || (!of.has(key) && instantIn(stream, record) !== undefined)
  return known ? { table, batch } : { table: of, batch: timeless.writer.batch }
}

/** Whether the slice owns the record, by its instant; a record without one may belong to any window. */
function isOwned({ stream, slice: { owned } }: PageContext, record: WireRecord): boolean {
  const atMs = owned === undefined ? undefined : instantIn(stream, record)
  return owned === undefined || atMs === undefined || holds(owned, atMs)
}

/**
 * The columns that place a record in a list: the instant by which a window owns it, or columns whose value
 * comes only from the filter of its list.
 */
function placesOf({ stream, slice, context }: Applying, record: WireRecord): readonly string[] {
  const { sync, derive } = stream
  if (sync.kind === 'windows')
    return instantIn(stream, record) === undefined ? NOWHERE : [sync.cursor]
  const names = Object.keys(slice.request.filter)
  if (sync.kind !== 'snapshot' || derive === undefined || names.length === 0) return NOWHERE
  const [said, alone] = [derive(record, context), derive(record, { ...context, filter: {} })]
  return names.filter((name) => said[name] !== alone[name])
}

function isUnread({ stream, unread }: PageContext, record: WireRecord): boolean {
  if (unread.length === 0) return false
  const atMs = instantIn(stream, record)
  return atMs === undefined || unread.some((window) => holds(window, atMs))
}

const NOWHERE: readonly string[] = []
