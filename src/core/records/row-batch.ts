import type { Stream } from '../define/stream.ts'
import type { Window } from '../time/spans.ts'
import type { RecordFinding } from './map-record.ts'

/** A row ready to be sent: values in Postgres's text format, in the stream's column order. */
export interface PreparedRow {
  key: readonly string[]
  values: readonly (string | null)[]
  raw: string
  /**
   * The record's bytes as received, transient values blanked; only for audited streams and cleaned records.
   */
  source: string | null
  hash: Buffer
  children: readonly CutChildren[]
  /** The slice that showed its record; none of a row that is cut from another. */
  slice?: string | undefined
  /** The window of that slice, if it has one. */
  owned?: Window | undefined
  /** The columns that name the row's list, if they come from the list and not from the record. */
  placedBy?: readonly string[]
  /** A later request showed its key with other content: the row is only compared with that one. */
  late?: true
  /** The place that it moved from: the list there no longer shows it. */
  from?: string
  /** The columns whose value was received but cannot be read. */
  broken?: readonly string[]
}

/** The rows of a stream that is cut from a record. What is not among them is gone, if they are `whole`. */
export interface CutChildren {
  stream: Stream
  rows: PreparedRow[]
  /** No nested record was set aside: that may be any of those that are held. */
  whole: boolean
  /** The record has the list, be it an empty one. */
  given: boolean
}

/** A record whose nested list is not believed, so that the rows that are held of it stay. */
export interface DoubtedList {
  stream: Stream
  parent: string
  why: 'absent' | 'contradicted' | 'emptied'
  /** The slice that showed the record. */
  slice: string | undefined
}

export interface QuarantinedRecord {
  stream: Stream
  reason: string
  payload: string
}

/**
 * What one page, or several, came to: rows that no fingerprint knows, rows whose fingerprint differs, and
 * findings.
 */
export interface Batch {
  fresh: PreparedRow[]
  known: PreparedRow[]
  quarantined: QuarantinedRecord[]
  findings: { stream: string; finding: RecordFinding }[]
}

/**
 * A row that was not written, with what it was taken for, or a doubted list; and the slice that showed it.
 */
export interface RefusedRow {
  slice: string | undefined
  kind: 'fresh' | 'known' | 'late' | 'doubted'
  /**
   * Why what is held stays, if it was not the database that refused the row: a value in it cannot be read any
   * more, or two lists show it, or the list that shows it now is the one where it is held.
   */
  kept?: 'unreadable' | 'in two lists' | 'moved back' | undefined
}

/** A row that is held in another place than the one that shows it now. */
export interface PlacedRow {
  row: PreparedRow
  column: string
  held: string
}

/** The rows of a batch that stay as they are held. */
export interface LeftRows {
  unreadable: PreparedRow[]
  elsewhere: PlacedRow[]
}

/** How many rows a batch did what to, per stream. */
export interface RowCounts {
  inserted: number
  updated: number
  unchanged: number
  deleted: number
}

/** The rows of a stream that a group of slices answers for: only these may be missed by it. */
export type Owned =
  | { kind: 'all' }
  | { kind: 'windows'; column: string; windows: readonly Window[]; orTrue?: string }
  | { kind: 'parents'; column: string; keys: readonly string[] }
  /** Those without an instant, which no window can hold. */
  | { kind: 'timeless'; column: string }

export const noCounts = (): RowCounts => ({ inserted: 0, updated: 0, unchanged: 0, deleted: 0 })
