import type { Stream } from '../define/stream.ts'
import type { Window } from '../time/spans.ts'
import type { RecordFinding } from './map-record.ts'

/** A row ready to be sent: values in Postgres's text format, in the stream's column order. */
export interface PreparedRow {
  key: readonly string[]
  values: readonly (string | null)[]
  raw: string
  /** The bytes as received, transient values blanked; only for audited streams and cleaned records. */
  source: string | null
  hash: Buffer
  children: readonly CutChildren[]
  /** The slice that showed the row's record; none for a nested row. */
  slice?: string | undefined
  /** The window of that slice, if it has one. */
  owned?: Window | undefined
  /** The columns whose values depend on the list that shows the row, not on its record. */
  placedBy?: readonly string[]
  /** A later request already showed other content: this row is compared with the stored one, not written. */
  late?: true
  /** The place where the row is stored, although the list of that place no longer shows it. */
  from?: string
  /** The columns whose value was received but cannot be read. */
  broken?: readonly string[]
}

/** The rows of a nested stream in one record. If `whole` and not doubted, the record's others are deleted. */
export interface CutChildren {
  stream: Stream
  rows: PreparedRow[]
  /** True if no nested record was quarantined; a quarantined one may be any of the stored rows. */
  whole: boolean
  /** The record has the list, even if empty. */
  given: boolean
}

/** A record's nested list that is not trusted: its stored rows stay unchanged. */
export interface DoubtedList {
  stream: Stream
  parent: string
  why: 'absent' | 'contradicted' | 'emptied'
  slice: string | undefined
}

export interface QuarantinedRecord {
  stream: Stream
  reason: string
  payload: string
}

/** The result of one or more pages. `fresh`: rows with unknown keys. `known`: known keys, other content. */
export interface Batch {
  fresh: PreparedRow[]
  known: PreparedRow[]
  quarantined: QuarantinedRecord[]
  findings: { stream: string; finding: RecordFinding }[]
}

/** A row that was not written, with its classification, or a doubted list; and the slice that showed it. */
export interface RefusedRow {
  slice: string | undefined
  kind: 'fresh' | 'known' | 'late' | 'doubted'
  /**
   * Why the stored row stays: a value is no longer readable, or two lists show the row. Undefined for a
   * doubted list, or if the database refused the new row.
   */
  kept?: 'unreadable' | 'in two lists' | undefined
}

/** A row stored in another place than the one that shows it now. */
export interface PlacedRow {
  row: PreparedRow
  column: string
  held: string
}

/** The rows of a batch whose stored versions stay. */
export interface LeftRows {
  unreadable: PreparedRow[]
  elsewhere: PlacedRow[]
}

export interface RowCounts {
  inserted: number
  updated: number
  unchanged: number
  deleted: number
  /** Rows that are no longer in the part that the account keeps; they still exist at the service. */
  left: number
}

/** The rows of a stream that a group of slices covers: only these can be missing from it. */
export type Owned =
  | { kind: 'all' }
  | { kind: 'windows'; column: string; windows: readonly Window[]; orTrue?: string }
  | { kind: 'parents'; column: string; keys: readonly string[] }
  /** The rows without an instant, which no window can own. */
  | { kind: 'timeless'; column: string }

export const noCounts = (): RowCounts => ({
  inserted: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  left: 0,
})

/** Adds the counts of each stream in `more` to the stream's counts in `sums`. */
export function addCounts(
  sums: Map<string, RowCounts>,
  more: ReadonlyMap<string, RowCounts>,
): void {
  for (const [stream, counts] of more) {
    const sum = { ...(sums.get(stream) ?? noCounts()) }
    for (const name of Object.keys(counts) as (keyof RowCounts)[]) sum[name] += counts[name]
    sums.set(stream, sum)
  }
}

/** Returns only the counts of deleted rows, and of rows that left the part that is kept. */
export function takenIn({ deleted, left } = noCounts()): Pick<RowCounts, 'deleted' | 'left'> {
  return { deleted, left }
}
