import type { Words } from '../../core/define/own-words.ts'
import type { RowContext } from '../../core/define/stream.ts'
import { keyHash, keyOf, TOO_DEEP } from '../../core/records/record-key.ts'
import { readWord, type ShownKeys } from '../../core/records/row-index.ts'
import { type PartFields, verdictOn } from '../../core/records/row-part.ts'
import { inNeutralWords } from '../../core/records/translate.ts'
import { isRecord } from '../../core/values/json.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'
import { noteSaid } from './check-asked.ts'
import { type Quarantining, quarantine } from './quarantine.ts'
import type { RecognisedPage } from './recognise.ts'

interface Choosing extends Quarantining {
  slice: PlannedSlice
  context: RowContext
  words?: Words | undefined
  /** The part of the stream's records that the account keeps; undefined if it keeps all. */
  part?: PartFields | undefined
  shown: ShownKeys
  apart: ShownKeys
  said: Set<string>
}

/**
 * Returns undefined for a record that is kept. Of a record outside the part that the account keeps, notes
 * only the key, as proof that the record still exists. Quarantines a record without its content if a field of
 * the part is unreadable, or if the record has no key and so may be any stored row.
 */
export function leftOut(
  choosing: Choosing,
  page: RecognisedPage,
  at: number,
): 'apart' | 'quarantined' | undefined {
  const { stream, part, words, context, shown, apart, counts } = choosing
  // A record that is too long is quarantined without its content later.
  if (part === undefined || page.isTooLong(at)) return undefined
  const record = parsed(page, at)
  if (!isRecord(record)) {
    if (record === null) counts.hollow++
    return quarantine(choosing, record === undefined ? TOO_DEEP : 'not an object', '')
  }
  const verdict = verdictOn(stream, part, inNeutralWords(words, stream.operation, record))
  if (verdict === 'kept') return undefined
  if (verdict !== 'outside')
    return quarantine(
      choosing,
      `${verdict.unreadable} is unreadable, so it is unknown whether accounts[].rows keeps this record`,
      '',
    )
  const found = keyOf(stream, record, context)
  if ('refused' in found) {
    if (Object.keys(record).length === 0) counts.hollow++
    return quarantine(choosing, found.refused, '')
  }
  const key = keyHash(found.key)
  shown.note(key, 0, readWord(page.hashes, at * 16))
  apart.note(key)
  noteSaid(choosing, record)
  return 'apart'
}

/** Returns the parsed record; undefined if it nests too deep to be parsed. */
function parsed(page: RecognisedPage, at: number): unknown {
  try {
    return page.parsedAt(at)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
