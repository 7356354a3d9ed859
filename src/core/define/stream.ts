import type { Span, Window } from '../time/spans.ts'
import type { WireRecord } from '../values/json.ts'
import type { Column } from './column.ts'
import type { CallArguments, Operation } from './operation.ts'
import type { Words } from './own-words.ts'

/**
 * The context for turning a record into a row: its parent's key columns and wire record, and its place among
 * its siblings.
 */
export interface RowContext {
  parent?: { key: readonly string[]; record: WireRecord | undefined }
  /** Ordinal among siblings that share all other key parts; 0 for the first. */
  ordinal: number
  /** The slice's filter, e.g. `{ status: 'pending' }`. */
  filter: Readonly<Record<string, string>>
  /** The service's own words, if it has any: columns contain those of the documents. */
  words?: Words | undefined
}

/** One request series of a slice: the arguments of its first page. */
export interface SliceRequest {
  /** Names the slice inside its stream and account, e.g. `status=active`, `2026-05-01..2026-05-08`. */
  slice: string
  arguments: CallArguments
  filter: Readonly<Record<string, string>>
  /**
   * Other ways to request it, each with one list or several that are complete together: all are read. A way
   * is ignored if the service refuses all its lists, which means that it does not support the way.
   */
  otherWays?: readonly (readonly CallArguments[])[]
  /**
   * Slices of a group are read in order of rank, 0 by default. A key that a lower rank showed in this reading
   * is ignored in a higher one: a recording listed in its window is live, even if its files are in the trash.
   */
  rank?: number
  /** The slice only adds rows or supplies missing ones; other known rows stay unchanged. */
  keepKnown?: true
  /** Detects a record that the requested list cannot have, so that the response must be another list. */
  disproved?: { by(record: WireRecord): boolean; todo: string }
  /** Read only if its total exceeds the number of records that the slices of lower rank showed together. */
  ifMore?: true
}

/** How a stream stays current. */
export type Sync =
  /** Everything, in one or more lists that are judged as one group. */
  | { kind: 'snapshot'; requests(): SliceRequest[] }
  /** Date ranges, each owning the rows whose `cursor` lies in it. */
  | {
      kind: 'windows'
      cursor: string
      /** The longest owned range, in days. */
      spanDays: number
      /**
       * The service accepts a request for one calendar month, and perhaps for the days around its end:
       * windows are months, and records omitted from the first or last day are requested separately.
       */
      byMonth?: true
      /**
       * Days requested on both sides of the owned range, because the service's bounds are exclusive or
       * inexact.
       */
      overlapDays: number
      /** How far back rows may still appear or change: read again each night. */
      lookbackDays: number
      /** How many days back is read: to the service's bound, if it has one. */
      historyLimitDays: number
      /** The service has no bound: an account may set another limit (`historyDays`). */
      unbounded?: true
      request(asked: Window): SliceRequest
      /** Lists outside the windows that belong to the same group (the trash). */
      besides?(): SliceRequest[]
      /** The boolean column that is true for the rows of those lists. */
      besidesColumn?: string
      /**
       * Requests the changes in a range, whichever window owns them: read before the windows, so that a row
       * is fresh even if its window is not due. It owns nothing, so nothing is missing from it.
       */
      incremental?(asked: Window): CallArguments
      /**
       * For operations without documented windows: a service may ignore the window parameters and show the
       * whole list each time. Then that list is requested once, in place of all windows.
       */
      whole?(): SliceRequest
    }
  /** One list per row of the parent stream. */
  | {
      kind: 'fan-out'
      parent: Stream
      request(parentKey: readonly string[], span?: Span): SliceRequest
      /**
       * The parent's columns with the instants between which its records lie: the request contains them, and
       * a list is read again when they change.
       */
      within?: { from: string; to: string }
      /** Parents whose ID begins with this have no list to request. */
      nothingOf?: string
      order: string
      /**
       * When a parent is read again: after a change in these columns, or after `maxAgeDays`; `_hash` is a
       * column too, which changes with any change of the record. Without `again` a parent is read until its
       * count repeats after a day.
       */
      again?: { versions: readonly string[]; maxAgeDays: number }
    }
  /** Cut from the payload of each new or changed row of the parent stream. */
  | {
      kind: 'nested'
      parent: Stream
      /** The list as received, or whatever value is in its place. */
      items(record: WireRecord): unknown
      /**
       * The parent's columns that count or measure these records, perhaps among others: if none of them
       * changed, a shorter list is doubted.
       */
      measuredBy?: readonly string[]
      /** The parent's column that is 0 if no list of the parent has a record. */
      countedBy?: string
    }

/**
 * How to decide that a row is deleted if its complete slices no longer show it: by the answer of a detail
 * call (its operation declares which answers), a second complete read at least `afterMs` later, the deletion
 * of its parent, or never. After the instant in the column `expiresAt` a row is *expired*: neither deleted
 * nor counted by the deletion guard. `superseded` detects that the detail call returned the record that
 * replaced the row.
 */
export type DeletionRule =
  | {
      by: 'detail'
      operation: Operation
      path(row: RowKey): Record<string, string>
      expiresAt?: string
      superseded?(record: WireRecord, row: RowKey): boolean
    }
  | { by: 'second-read'; afterMs: number }
  | { by: 'parent' }
  | { by: 'never' }

export type RowKey = Readonly<Record<string, string>>

/** Wire fields that must never be stored. */
export type TransientField =
  | 'access_key'
  | 'download_access_token'
  | 'download_url'
  | 'personal_meeting_url'
  | 'pin'

/**
 * How an operation's records become the table `svc.<name>`. The table has the columns in this order; its
 * primary key is `account` and then the key. A column is filled from the record's field of the same name
 * unless `derive` returns a value for it.
 */
export interface Stream {
  name: string
  /** The meaning of a row, in one sentence. */
  about: string
  operation: Operation
  columns: Readonly<Record<string, Column>>
  key: readonly string[]
  /**
   * The columns that identify the person of this record, by ID or address. An erasure of the person deletes
   * the row.
   */
  subject?: readonly string[]
  /**
   * Columns that permanently identify one person: from any of them an erasure learns the others, and the
   * person's names from `called`, each entry a list of columns that form a name together.
   */
  person?: { known: readonly string[]; called: readonly (readonly string[])[] }
  personal: readonly string[]
  /** Wire fields used at once and never stored, at any depth: signed URLs, download tokens. */
  transient: readonly TransientField[]
  /** Columns stored separately, without history: a change in only these makes no new version. */
  volatile: readonly string[]
  /** Wire fields that every record is documented to have: one that lacks them is stored, and counted. */
  expected?: readonly string[]
  /** Other spellings of a column's field: the first non-empty one counts. */
  aliases?: Readonly<Record<string, readonly string[]>>
  /** Other documented wire fields, which `derive` and the nested streams read. Any further field is drift. */
  also?: readonly string[]
  /** Audited streams keep the bytes of each record as received, with transient values blanked. */
  audited?: boolean
  sync: Sync
  deletions: DeletionRule
  /** Its list may rightly be empty: that is no sign of a fault. */
  mayBeEmpty?: true
  /** Columns whose value is not simply the record's field of that name. */
  derive?(record: WireRecord, context: RowContext): Readonly<Record<string, unknown>>
}

/** The stream that is actually requested: a nested stream's rows are taken from its records. */
export function fetchedStream(stream: Stream): Stream {
  return stream.sync.kind === 'nested' ? fetchedStream(stream.sync.parent) : stream
}

/** The record's value for a column of this name, under any spelling of its field. */
export function valueOf({ aliases }: Stream, record: WireRecord, name: string): unknown {
  const value = record[name]
  const others = aliases?.[name]
  if (others === undefined || !isEmpty(value)) return value
  return others.map((other) => record[other]).find((other) => !isEmpty(other)) ?? value
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
