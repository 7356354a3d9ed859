import type { Page } from '../api/client.ts'
import { blankTransient } from '../core/blank-transient.ts'
import { type FingerprintTable, orderOf } from '../core/fingerprint-table.ts'
import type { Batch } from '../core/load.ts'
import { prepareRow } from '../core/prepare-row.ts'
import { fingerprinter, fingerprintOfSource } from '../core/record-hash.ts'
import { keyHash, keyOf } from '../core/record-key.ts'
import { recordSpans } from '../core/record-spans.ts'
import type { RowContext, Stream, WireRecord } from '../core/stream.ts'
import { parseInstant } from '../core/time.ts'
import type { SliceReading } from './slice-reading.ts'

/** What judging a page needs to know of its group. */
export interface PageTaking {
  stream: Stream
  cuts: readonly Stream[]
  table: FingerprintTable
  batch: Batch
  reading: SliceReading
  sequence: number
}

/**
 * Judges each record of a page: an unchanged one costs a hash and a look-up, only the others are cut into
 * rows.
 */
export function takePage(taking: PageTaking, page: Page): void {
  const { stream, reading } = taking
  const { request, parent } = reading.slice
  const context: RowContext = {
    ordinal: 0,
    filter: request.filter,
    ...(parent === undefined ? {} : { parent: { key: parent, record: undefined } }),
  }
  const order = orderOf(request.rank ?? 0, taking.sequence)
  const fingerprintOf = fingerprinter(stream, request.filter)
  const sourceOf = sourceReader(stream, page)
  for (let at = 0; at < page.records.length; at++) {
    const record = page.records[at] as WireRecord
    const source = stream.audited === true ? { source: sourceOf(at) } : {}
    reading.received++
    try {
      takeRecord(taking, record, { context, order, fingerprintOf, ...source })
    } catch (error) {
      // A record can be nested too deep even to be printed.
      if (!(error instanceof RangeError)) throw error
      quarantine(taking, TOO_DEEP, sourceOf(at))
    }
  }
}

interface RecordTaking {
  context: RowContext
  order: number
  fingerprintOf: ReturnType<typeof fingerprinter>
  source?: string
}

function takeRecord(
  taking: PageTaking,
  record: WireRecord,
  { context, order, fingerprintOf, source }: RecordTaking,
) {
  const { stream, table, reading } = taking
  const found = isRecord(record) ? keyOf(stream, record, context) : { refused: 'not an object' }
  if ('refused' in found) {
    const text = isRecord(record) ? fingerprintOf(record).text : JSON.stringify(record)
    quarantine(taking, found.refused, source ?? text)
    return
  }
  const key = keyHash(found.key)
  const fingerprint = fingerprintOf(record)
  const hash = source === undefined ? fingerprint.hash : fingerprintOfSource(source)
  const judgement = table.judge(key, hash, order)
  if (judgement === 'unchanged') reading.unchanged++
  else if (judgement === 'repeated' || judgement === 'superseded') reading.ignored++
  // A known row is this group's until its change is written, also when the change moves it elsewhere.
  else if (judgement === 'new' && !isOwned(taking, record)) {
    reading.ignored++
  } else if (deeperThan(record, MAX_DEPTH)) {
    quarantine(taking, TOO_DEEP, source ?? fingerprint.text)
  } else {
    table.admit(key, hash, order)
    const { batch, cuts } = taking
    const { findings, quarantined } = batch
    const prepared = prepareRow({ stream, cuts, findings, quarantined }, record, {
      key: found.key,
      context,
      text: fingerprint.text,
      hash,
      ...(source === undefined ? {} : { source }),
    })
    if (judgement === 'new') reading.fresh++
    else reading.changed++
    batch[judgement === 'new' ? 'fresh' : 'known'].push(prepared)
  }
}

function quarantine({ stream, batch, reading }: PageTaking, reason: string, payload: string): void {
  reading.quarantined++
  batch.quarantined.push({ stream, reason, payload })
}

/** Postgres refuses JSON that is nested deeper than its stack, and no honest record is. */
function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Object.values(value)) if (deeperThan(inner, levels - 1)) return true
  return false
}

/**
 * The window that holds the cursor's instant owns the row; a row without a usable one belongs to who shows
 * it.
 */
function isOwned({ stream, reading }: PageTaking, record: WireRecord): boolean {
  const { owned } = reading.slice
  if (owned === undefined || stream.sync.kind !== 'windows') return true
  const value = record[stream.sync.cursor]
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  if (instant === undefined) return true
  const atMs = Date.parse(instant)
  return atMs >= owned.fromMs && atMs < owned.toMs
}

/** The bytes of each record as received, with the values of transient fields blanked. */
function sourceReader(stream: Stream, page: Page): (at: number) => string {
  let spans: ReturnType<typeof recordSpans> | undefined
  return (at) => {
    spans ??= recordSpans(page.text, stream.operation.paging?.items ?? '')
    const span = spans[at]
    const source =
      span === undefined ? JSON.stringify(page.records[at]) : page.text.slice(span.start, span.end)
    return blankTransient(source, stream.transient)
  }
}

function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_DEPTH = 64
const TOO_DEEP = `nested deeper than ${MAX_DEPTH}`
