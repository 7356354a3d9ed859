import type { Window } from '../time/spans.ts'
import type { WireRecord } from '../values/json.ts'
import type { Column } from './column.ts'
import type { CallArguments, Operation } from './operation.ts'
import type { Words } from './own-words.ts'

/** What a row depends on besides its record. */
export interface RowContext {
  parent?: { key: readonly string[]; record: WireRecord | undefined }
  /** Ordinal among siblings that share all other key parts; 0 for the first. */
  ordinal: number
  /** The slice's filter, e.g. `{ status: 'pending' }`. */
  filter: Readonly<Record<string, string>>
  /** The service's own words, if configured; columns store the documents' words instead. */
  words?: Words | undefined
}

/** One paged request of a slice: the arguments of its first page. */
export interface SliceRequest {
  /** Names the slice inside its stream and account, e.g. `status=active`, `2026-05-01..2026-05-08`. */
  slice: string
  arguments: CallArguments
  filter: Readonly<Record<string, string>>
  /**
   * Other ways to request the slice, each one list, or several that are complete together. All ways are read.
   * A way counts as unsupported, and is ignored, if the service refuses all its lists.
   */
  otherWays?: readonly (readonly CallArguments[])[]
  /**
   * Slices of a group are read by ascending rank, by default 0. A key found at a lower rank is ignored at a
   * higher one: a recording listed in its window is live, even if its files are in the trash.
   */
  rank?: number
  /** The slice only adds rows; a row that is already stored outside the group's own rows stays unchanged. */
  keepKnown?: true
  /** Detects a record that cannot be in the requested list: then the service returned another list. */
  disproved?: { by(record: WireRecord): boolean; todo: string }
  /** The slice is skipped if its total does not exceed the number of records in slices of lower rank. */
  ifMore?: true
}

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
       * The service accepts requests for one calendar month, and perhaps for the days around its end. So
       * windows are months, and the days around each end are requested again, since a month may lack them.
       */
      byMonth?: true
      /** Days requested on both sides of the owned range: the service's bounds are exclusive or inexact. */
      overlapDays: number
      /** How many days back rows may still appear or change; these days are read again each night. */
      lookbackDays: number
      /** How many days back the stream is read; the service's bound, if it has one. */
      historyLimitDays: number
      /** The service has no bound: an account may set another limit (`historyDays`). */
      unbounded?: true
      request(asked: Window): SliceRequest
      /** Lists besides the windows that belong to the same group, such as the trash. */
      besides?(): SliceRequest[]
      /** The boolean column that is true for the rows of the lists in `besides`. */
      besidesColumn?: string
      /**
       * Requests the records changed in a range, whichever window owns them, so that a row is fresh even if
       * its window is not due. A record that is not in this list does not count as missing.
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
      request(parentKey: readonly string[], span?: Window): SliceRequest
      /**
       * The parent's columns with the instants between which the list's records lie. They are part of the
       * request, and a list is read again when they change.
       */
      within?: { from: string; to: string }
      /** Parents whose ID begins with this have no list to request. */
      nothingOf?: string
      /** The parent's column that decides which unread lists come first: those with the lowest value. */
      order: string
      /**
       * A list is read again after a change in one of these columns of its parent (`_hash` changes with any
       * part of the record), and at the latest after `maxAgeDays`. Without `again`, a list is read until it
       * has the same count a day later.
       */
      again?: { versions: readonly string[]; maxAgeDays: number }
    }
  /** Rows taken from each new or changed record of the parent stream. */
  | {
      kind: 'nested'
      parent: Stream
      /** The list as received, or whatever value is in its place. */
      items(record: WireRecord): unknown
      /**
       * The parent's columns that count or measure these records, alone or with records of other lists. If
       * none of them changed, a shorter list is not trusted.
       */
      measuredBy?: readonly string[]
      /** The parent's column that counts the records of all its lists: not 0 if one of them has a record. */
      countedBy?: string
    }

/**
 * When a row counts as deleted after its slices were read completely without it. `detail`: a detail call
 * says so (its operation declares which answers do). `second-read`: a second complete read, at least
 * `afterMs` later, lacks it too. `parent`: its parent is deleted. After the instant in the column
 * `expiresAt` a row is *expired*: neither deleted nor counted by the deletion guard. `superseded` detects
 * that the detail call returned the record that replaced the row.
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
  /** Columns that identify this record's person, by ID or address. Erasing the person deletes the row. */
  subject?: readonly string[]
  /**
   * `known`: columns that permanently identify one person; from one of them an erasure learns the others.
   * `called`: columns with the person's names, each entry a list of columns that form one name.
   */
  person?: { known: readonly string[]; called: readonly (readonly string[])[] }
  personal: readonly string[]
  /** Wire fields used at once and never stored, at any depth: signed URLs, download tokens. */
  transient: readonly TransientField[]
  /** Columns stored separately, without history: a change in only these makes no new version. */
  volatile: readonly string[]
  /** Wire fields that every record must have by the documents: a record without one is stored and counted. */
  expected?: readonly string[]
  /** Other spellings of a column's field: the first non-empty one counts. */
  aliases?: Readonly<Record<string, readonly string[]>>
  /** Other documented wire fields, which `derive` and the nested streams read. Any further field is drift. */
  also?: readonly string[]
  /** Audited streams keep the bytes of each record as received, with transient values blanked. */
  audited?: boolean
  sync: Sync
  deletions: DeletionRule
  /** The list may rightly be empty: that is no sign of a fault. */
  mayBeEmpty?: true
  /** Computes the columns whose value is not simply the record's field of that name. */
  derive?(record: WireRecord, context: RowContext): Readonly<Record<string, unknown>>
}

/** The stream that is actually requested: nested rows come from the records of their parent stream. */
export function fetchedStream(stream: Stream): Stream {
  return stream.sync.kind === 'nested' ? fetchedStream(stream.sync.parent) : stream
}

/** All spellings of a column's field. */
export function fieldsOf({ aliases }: Pick<Stream, 'aliases'>, name: string): string[] {
  return [name, ...(aliases?.[name] ?? [])]
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
