import type { RowContext, Stream } from '../../core/define/stream.ts'
import { redactRecord, redactValue } from '../../core/persons/redact.ts'
import type { Suppression } from '../../core/persons/suppression.ts'
import { HASH_BYTES, saltOf, writeHash } from '../../core/records/record-hash.ts'
import { saltWithWords } from '../../core/records/translate.ts'
import { isRecord } from '../../core/values/wire-record.ts'

/** A record that no row has the like of, on its way to being judged. */
export interface Unknown {
  record: unknown
  /** Of its source. */
  hash: Buffer
  sourceOf: () => string
}

/**
 * What may be kept of a record: all of it, less than came, or nothing at all when it is about somebody who
 * was erased. What is taken out is out of everything that is made of the record: its row, its bytes, its
 * hash and the copy that a quarantine keeps.
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
