import type { Words } from '../../core/declare/own-words.ts'
import type { RowContext, Stream } from '../../core/declare/stream.ts'
import type { Suppression } from '../../core/erasure/suppression.ts'
import { type FingerprintTable, orderOf } from '../../core/records/fingerprint-table.ts'
import { TOO_LONG } from '../../core/records/page-records.ts'
import { prepareRow } from '../../core/records/prepare-row.ts'
import { rawText } from '../../core/records/record-hash.ts'
import { keyHash, keyOf } from '../../core/records/record-key.ts'
import type { Batch } from '../../core/records/row-batch.ts'
import type { ShownKeys } from '../../core/records/shown-keys.ts'
import { TOO_DEEP, unfitness } from '../../core/records/unfit-record.ts'
import { isRecord, type WireRecord } from '../../core/values/wire-record.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import { checkAsked } from './check-asked.ts'
import { holds, instantIn } from './instant-in.ts'
import type { RecognisedPage } from './recognise.ts'
import { keptOf, type Unknown } from './suppressed.ts'
import type { TimelessRows } from './timeless-rows.ts'

/** What applying a page needs to know of its group. */
export interface PageContext {
  stream: Stream
  nestedStreams: readonly Stream[]
  table: FingerprintTable
  /** The erased persons, of whom nothing may be kept. */
  suppression: Suppression
  batch: Batch
  reading: SliceReading
  /** The keys that this pass over the slice has shown so far. */
  shown: ShownKeys
  sequence: number
  timeless?: TimelessRows | undefined
  words?: Words | undefined
}

/**
 * Compares each record of a page with the table. An unchanged record costs one look-up by its hash; only the
 * others become rows.
 */
export function applyPage(pageContext: PageContext, page: RecognisedPage): void {
  const { table, reading, batch, shown } = pageContext
  const before = { fresh: batch.fresh.length, known: batch.known.length }
  const { request, parent } = reading.slice
  const context: RowContext = {
    ordinal: 0,
    filter: request.filter,
    words: pageContext.words,
    ...(parent === undefined ? {} : { parent: { key: parent, record: undefined } }),
  }
  const order = orderOf(request.rank ?? 0, pageContext.sequence)
  for (let at = 0; at < page.count; at++) {
    reading.received++
    const holder = page.heldAt(at)
    checkAsked(pageContext, page, { at, own: holder === table })
    holder?.noteKey(page.hashes, at * 16, shown)
    const own = holder === undefined || holder === table
    const shower = own ? holder : pageContext.timeless?.table
    const known = shower?.show(page.hashes, at * 16, order)
    if (own && known === 'unchanged') reading.unchanged++
    else if (!own || known !== undefined) reading.ignored++
    else takeUnknown(pageContext, page, { at, context, order })
  }
  const fresh = batch.fresh.length - before.fresh
  const known = batch.known.length - before.known
  if (fresh + known > 0) batch.shares.push({ tally: reading, fresh, known })
}

function takeUnknown(
  pageContext: PageContext,
  page: RecognisedPage,
  { at, context, order }: { at: number; context: RowContext; order: number },
): void {
  const { stream, suppression, reading, shown } = pageContext
  if (page.isTooLong(at)) return quarantine(pageContext, TOO_LONG, '')
  const hash = page.hashes.subarray(at * 16, at * 16 + 16)
  try {
    const received = { record: page.parsedAt(at), hash, sourceOf: () => page.sourceOf(at) }
    const kept = keptOf(received, { stream, context, suppression })
    if (kept === undefined) {
      reading.erased++
      const found = isRecord(received.record) ? keyOf(stream, received.record, context) : undefined
      if (found !== undefined && 'key' in found) shown.note(keyHash(found.key))
    } else takeRecord(pageContext, kept, { context, order })
  } catch (error) {
    // A record can be nested too deep to be parsed with all its digits, or to be printed.
    if (!(error instanceof RangeError)) throw error
    quarantine(pageContext, TOO_DEEP, page.sourceOf(at))
  }
}

function takeRecord(
  pageContext: PageContext,
  { record, hash, sourceOf }: Unknown,
  { context, order }: { context: RowContext; order: number },
): void {
  const { stream, reading, shown } = pageContext
  if (!isRecord(record)) return quarantine(pageContext, 'not an object', sourceOf())
  const found = keyOf(stream, record, context)
  if ('refused' in found) return quarantine(pageContext, found.refused, sourceOf())
  const key = keyHash(found.key)
  shown.note(key)
  const { table, batch } = takerOf(pageContext, record, key)
  const judgement = table.judge(key, hash, order)
  // A known row stays this group's until its change is written, even if the change moves it elsewhere.
  const elsewhere = judgement === 'new' && !isOwned(pageContext, record)
  if (judgement === 'unchanged') reading.unchanged++
  else if (elsewhere || judgement === 'repeated' || judgement === 'superseded') reading.ignored++
  else if (isUnread(pageContext, record)) reading.ignored++
  else {
    const { nestedStreams } = pageContext
    const { findings, quarantined } = batch
    const before = quarantined.length
    const source = sourceOf()
    const unfit = unfitness(record, { source, nestedStreams })
    if (unfit !== undefined) return quarantine(pageContext, unfit, source)
    const prepared = prepareRow({ stream, nestedStreams, findings, quarantined }, record, {
      key: found.key,
      context,
      text: rawText(stream, record, source),
      hash,
      source: stream.audited === true ? source : undefined,
    })
    reading.nested += quarantined.length - before
    if (reading.nested > MOST_ENTRIES) quarantined.length = before
    table.admit(key, hash, order)
    if (judgement === 'new') reading.fresh++
    else reading.changed++
    const kind = judgement === 'new' ? 'fresh' : 'known'
    batch[kind].push(prepared)
    if (batch !== pageContext.batch)
      batch.shares.push({ tally: reading, fresh: 0, known: 0, [kind]: 1 })
  }
}

/**
 * A record without a readable instant belongs to no window, unless the window holds the row already. A row
 * that was held without an instant stays with its like until the change that gives it one is written.
 */
function takerOf(
  { stream, table, batch, reading, timeless }: PageContext,
  record: WireRecord,
  key: Buffer,
): Pick<PageContext, 'table' | 'batch'> {
  if (timeless === undefined || reading.slice.owned === undefined) return { table, batch }
  const of = timeless.table
  const known = table.has(key) || (!of.has(key) && instantIn(stream, record) !== undefined)
  return known ? { table, batch } : { table: of, batch: timeless.writer.batch }
}

function quarantine(
  { stream, batch, reading }: PageContext,
  reason: string,
  payload: string,
): void {
  reading.quarantined++
  if (reading.quarantined > MOST_ENTRIES + 1) return
  const last = reading.quarantined > MOST_ENTRIES
  const kept = payload.length > MOST_CHARACTERS ? '' : payload
  const size = kept === payload ? '' : `; ${payload.length} characters, which are not kept`
  const entry = last
    ? { stream, reason: `more than ${MOST_ENTRIES} of a list, the rest is not kept`, payload: '' }
    : { stream, reason: `${reason}${size}`, payload: kept }
  batch.quarantined.push(entry)
}

/** The window that holds the cursor's instant owns the row; a row without a usable instant has no owner. */
function isOwned({ stream, reading }: PageContext, record: WireRecord): boolean {
  const { owned } = reading.slice
  const atMs = owned === undefined ? undefined : instantIn(stream, record)
  return owned === undefined || atMs === undefined || holds(owned, atMs)
}

function isUnread({ stream, reading }: PageContext, record: WireRecord): boolean {
  if (reading.unread.length === 0) return false
  const atMs = instantIn(stream, record)
  return atMs === undefined || reading.unread.some((window) => holds(window, atMs))
}

/** Records quarantined beyond these are counted, and nothing else of them is kept. */
const MOST_ENTRIES = 1_000
const MOST_CHARACTERS = 2 ** 20
