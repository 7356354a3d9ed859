import type { Words } from '../../core/define/own-words.ts'
import type { RowContext, Stream } from '../../core/define/stream.ts'
import { redactRecord, redactValue } from '../../core/persons/redact.ts'
import type { Suppression } from '../../core/persons/suppression.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import type { PageRecords } from '../../core/records/page-records.ts'
import { blankTransient, HASH_BYTES, saltOf, writeHash } from '../../core/records/record-hash.ts'
import { saltWithWords } from '../../core/records/translate.ts'
import { isRecord, parseLossless } from '../../core/values/json.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'

/** The records of a page with their hashes; parsed only where no row has the same content. */
export interface RecognisedPage {
  count: number
  /** 16 bytes a record. */
  hashes: Buffer
  /** The table with a row of this content: this window's, or another's if it loaded the row with it. */
  heldAt(at: number): FingerprintTable | undefined
  /** Whether the record was too long to be parsed, so its text is unknown. */
  isTooLong(at: number): boolean
  /** A record's text as received, the values of transient fields blanked. */
  sourceOf(at: number): string
  /** The record, parsed from `sourceOf`. */
  parsedAt(at: number): unknown
}

interface Against {
  stream: Stream
  table: FingerprintTable
  /** The tables of other windows, which contain the rows in the margins of this window. */
  beside: readonly FingerprintTable[]
  slice: PlannedSlice
  words?: Words | undefined
}

/**
 * Separates the records of a page that the warehouse has from the others, and validates both: a record known
 * byte for byte was parsed when first received, and the others are checked here. Undefined if any is no JSON.
 */
export function recognise(against: Against, records: PageRecords): RecognisedPage | undefined {
  const { stream, slice, words } = against
  const salt = saltOf(stream, { filter: slice.request.filter, parent: slice.parent })
  const whole = stream.transient.length === 0
  const hashes = Buffer.allocUnsafeSlow(records.count * 16)
  const held: (FingerprintTable | undefined)[] = []
  const parsed: unknown[] = []
  const sources: string[] = []
  const sourceOf = (at: number): string =>
    (sources[at] ??= blankTransient(records.textOf(at), stream.transient))
  const holder = holderOf(against)
  for (let at = 0; at < records.count; at++) {
    if (records.isTooLong(at)) {
      if (!records.isJson(at)) return undefined
      writeHash(hashes, at * 16, { source: records.bytesOf(at), salt })
      held.push(undefined)
      continue
    }
    // A blanked value may be invalid JSON even if the rest is known.
    if (!whole && !records.isJson(at)) return undefined
    const source = whole ? records.bytesOf(at) : sourceOf(at)
    writeHash(hashes, at * 16, { source, salt: saltWithWords(salt, words, source) })
    held.push(holder(hashes, at * 16))
    if (!whole || held[at] !== undefined) continue
    try {
      parsed[at] = parseLossless(sourceOf(at))
    } catch (error) {
      // `applyPage` quarantines a record that nests too deep.
      if (!(error instanceof RangeError && records.isJson(at))) return undefined
    }
  }
  const heldAt = (at: number): FingerprintTable | undefined => held[at]
  const parsedAt = (at: number): unknown => (parsed[at] ??= parseLossless(sourceOf(at)))
  const isTooLong = (at: number): boolean => records.isTooLong(at)
  return { count: records.count, hashes, heldAt, isTooLong, sourceOf, parsedAt }
}

/** Adjacent records in a margin belong to one window, so the table that had the last one is tried first. */
function holderOf({ table, beside }: Against) {
  let last: FingerprintTable | undefined
  return (hashes: Uint8Array, at: number): FingerprintTable | undefined => {
    if (table.holds(hashes, at)) return table
    if (last?.heldBefore(hashes, at) === true) return last
    const holding = beside.find((other) => other !== last && other.heldBefore(hashes, at))
    last = holding ?? last
    return holding
  }
}

/** A record that matches no row, before it is classified. */
export interface Unknown {
  record: unknown
  /** The hash of the record's source. */
  hash: Buffer
  sourceOf: () => string
}

/**
 * The part of a record that may be stored: all of it, a part, or nothing if it is about an erased person. A
 * removed part is absent from everything made of the record: its row, its bytes, its hash and its copy in
 * quarantine.
 */
export function keptOf(
  received: Unknown,
  {
    stream,
    context,
    suppression,
  }: { stream: Stream; context: RowContext; suppression: Suppression },
): Unknown | undefined {
  if (suppression.empty) return received
  const { record } = received
  if (!isRecord(record))
    return replaced(received, { stream, context }, redactValue(stream, record, { suppression }))
  const redaction = redactRecord(stream, record, { suppression, context })
  if (redaction.verdict === 'about') return undefined
  return redaction.verdict === 'untouched'
    ? received
    : replaced(received, { stream, context }, redaction.record)
}

function replaced(
  received: Unknown,
  { stream, context }: { stream: Stream; context: RowContext },
  record: unknown,
): Unknown {
  if (record === received.record) return received
  const source = JSON.stringify(record)
  const hash = Buffer.alloc(HASH_BYTES)
  const salt = saltOf(stream, { filter: context.filter, parent: context.parent?.key })
  writeHash(hash, 0, { source, salt: saltWithWords(salt, context.words, source) })
  return { record, hash, sourceOf: () => source }
}
