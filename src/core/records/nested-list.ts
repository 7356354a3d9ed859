import { plainList } from '../values/plain-values.ts'
import type { WireRecord } from '../values/wire-record.ts'
import type { DoubtedList } from './row-batch.ts'

/**
 * The records of a nested list. One that came without its list is a list of that; where nothing stands, or an
 * empty text or object, the list is not `given`, and may be empty or left out.
 */
export function nestedItems(value: unknown): { given: boolean; items: readonly WireRecord[] } {
  if (isNothing(value)) return { given: false, items: [] }
  return { given: true, items: plainList(value) as readonly WireRecord[] }
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
}

/** What a record shows of a nested list, beside what is held of it. */
export interface NestedList {
  given: boolean
  /** Records in the list. */
  listed: number
  /** Present rows that are held of it. */
  held: number
  /** What measures the list is the same as in the row that is held. */
  steady: boolean
  /** The record's own count of all its nested records, if it has one. */
  counted: bigint | undefined
  /** Records in all lists of the record. */
  listedInAll: number
}

/** Why a list alone does not prove that rows are gone which it does not show; undefined if it does. */
export function doubtOf(list: NestedList): DoubtedList['why'] | undefined {
  const { given, listed, held, steady, counted, listedInAll } = list
  if (steady && listed < held) return 'contradicted'
  if (counted !== undefined && counted > 0n && listedInAll === 0) return 'contradicted'
  if (listed > 0 || held === 0) return undefined
  return given ? 'emptied' : 'absent'
}
