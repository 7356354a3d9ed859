import type { Words } from '../../core/define/own-words.ts'
import type { RowContext, Stream } from '../../core/define/stream.ts'
import { redactRecord, redactValue } from '../../core/persons/redact.ts'
import type { Suppression } from '../../core/persons/suppression.ts'
import type { RecordPolicy } from '../../core/records/column-policy.ts'
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
  /** Whether the table has a row of this content. */
  isHeld(at: number): boolean
  /** Whether the record is too long to be processed: it is quarantined without its text. */
  isTooLong(at: number): boolean
  /** A record's text as received, without what must not be stored; empty if it nests too deep for that. */
  sourceOf(at: number): string
  /** The record, parsed from `sourceOf`. */
  parsedAt(at: number): unknown
  /** A record whose content no row has, with everything needed to classify it. */
  unknownAt(at: number): Unknown
}

interface Against {
  stream: Stream
  table: FingerprintTable
  slice: PlannedSlice
  words?: Words | undefined
  /** The column policy of the stream, if it has one. */
  policy?: RecordPolicy | undefined
}

/**
 * Separates the records of a page that the warehouse has from the others, and validates both: a record known
 * byte for byte was parsed when first received, and the others are checked here. Undefined if any is no JSON.
 */
export function recognise(against: Against, records: PageRecords): RecognisedPage | undefined {
  const { stream, table, slice, words, policy } = against
  const salt = saltOf(stream, { filter: slice.request.filter, parent: slice.parent })
  const whole = stream.transient.length === 0 && policy === undefined
  const hashes = Buffer.allocUnsafeSlow(records.count * 16)
  const held: boolean[] = []
  const parsed: unknown[] = []
  const sources: string[] = []
  const blankedAt = (at: number): string => blankTransient(records.textOf(at), stream.transient)
  const sourceOf = (at: number): string => (sources[at] ??= storable(blankedAt(at), policy))
  for (let at = 0; at < records.count; at++) {
    if (records.isTooLong(at)) {
      if (!records.isJson(at)) return undefined
      writeHash(hashes, at * 16, { source: records.bytesOf(at), salt })
      held.push(false)
      continue
    }
    // A blanked value may be invalid JSON even if the rest is known.
    if (!whole && !records.isJson(at)) return undefined
    const source = whole ? records.bytesOf(at) : sourceOf(at)
    writeHash(hashes, at * 16, { source, salt: saltWithWords(salt, words, source) })
    held.push(table.holds(hashes, at * 16))
    if (!whole || held[at] === true) continue
    try {
      parsed[at] = parseKept(sourceOf(at))
    } catch (error) {
      // `applyPage` quarantines a record that nests too deep.
      if (!(error instanceof RangeError && records.isJson(at))) return undefined
    }
  }
  const isHeld = (at: number): boolean => held[at] === true
  const parsedAt = (at: number): unknown => (parsed[at] ??= parseKept(sourceOf(at)))
  const unknownAt = (at: number): Unknown => ({
    record: parsedAt(at),
    hash: hashes.subarray(at * 16, at * 16 + 16),
    sourceOf: () => sourceOf(at),
    receivedOf: () => (policy === undefined ? parsedAt(at) : parseLossless(blankedAt(at))),
  })
  const isTooLong = (at: number): boolean => records.isTooLong(at)
  return { count: records.count, hashes, isHeld, isTooLong, sourceOf, parsedAt, unknownAt }
}

/** The text under the column policy; empty if it nests too deep to be parsed. */
function storable(text: string, policy: RecordPolicy | undefined): string {
  if (policy === undefined) return text
  try {
    return policy.appliedTo(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return ''
  }
}

function parseKept(source: string): unknown {
  if (source === '') throw new RangeError('The record nests too deep for the column policy')
  return parseLossless(source)
}

/** A record that matches no row, before it is classified. */
export interface Unknown {
  record: unknown
  /** The hash of the record's source. */
  hash: Buffer
  sourceOf: () => string
  /** The record before the column policy: an erased person is recognized by every field. */
  receivedOf: () => unknown
}

/**
 * The part of a record that may be stored: all of it, a part, or nothing if it is about an erased person. A
 * removed part is absent from everything made of the record: its row, its bytes, its hash and its copy in
 * quarantine.
 */
export function keptOf(
  received: Unknown,
  { stream, context, suppression, policy }: Keeping,
): Unknown | undefined {
  if (suppression.empty) return received
  const record = received.receivedOf()
  const redaction = isRecord(record)
    ? redactRecord(stream, record, { suppression, context })
    : { verdict: 'named' as const, record: redactValue(stream, record, { suppression }) }
  if (redaction.verdict === 'about') return undefined
  if (redaction.verdict === 'untouched' || redaction.record === record) return received
  const left = policy === undefined ? redaction.record : policy.applied(redaction.record)
  return replaced(received, { stream, context }, left)
}

export interface Keeping {
  stream: Stream
  context: RowContext
  /** The erased persons, about whom nothing may be stored. */
  suppression: Suppression
  policy?: RecordPolicy | undefined
}

function replaced(
  received: Unknown,
  { stream, context }: { stream: Stream; context: RowContext },
  record: unknown,
): Unknown {
  const source = JSON.stringify(record)
  const hash = Buffer.alloc(HASH_BYTES)
  const salt = saltOf(stream, { filter: context.filter, parent: context.parent?.key })
  writeHash(hash, 0, { source, salt: saltWithWords(salt, context.words, source) })
  return { ...received, record, hash, sourceOf: () => source }
}
