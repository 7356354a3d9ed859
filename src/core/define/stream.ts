import type { Span, Window } from '../time/spans.ts'
import type { WireRecord } from '../values/json.ts'
import type { Column } from './column.ts'
import type { CallArguments, Operation } from './operation.ts'
import type { Words } from './own-words.ts'

/**
 * What a record is cut into a row with: its parent's key columns and wire record, and its place
 * among its siblings.
 */
export interface RowContext {
  parent?: { key: readonly string[]; record: WireRecord | undefined }
  /** Ordinal among siblings that share all other key parts; 0 for the first. */
  ordinal: number
  /** The slice's filter, e.g. `{ status: 'pending' }`. */
  filter: Readonly<Record<string, string>>
  /** The service's own words, where it has any: columns hold those of the documents. */
  words?: Words | undefined
}

/** One request series of a slice: the arguments of its first page. */
export interface SliceRequest {
  /** Names the slice inside its stream and account, e.g. `status=active`, `2026-05-01..2026-05-08`. */
  slice: string
  arguments: CallArguments
  filter: Readonly<Record<string, string>>
  /**
   * Other ways to ask for it, each of one list or of several that are whole together: all of them are read.
   * A way is left out where the service refuses each list of it, which says that it does not know the way.
   */
  otherWays?: readonly (readonly CallArguments[])[]
  /**
   * Slices of a group are read in order of rank, 0 by default. A key that a lower rank showed in this
   * reading is not taken again from a higher one: a recording listed in its window is live, whatever the
   * trash says of its files.
   */
  rank?: number
  /**
   * The slice only adds rows or fills in for missing ones; a known row that its group does not miss
   * is left alone.
   */
  keepKnown?: true
  /** A record that the list which is asked for cannot have: then what is answered is another list. */
  disproved?: { by(record: WireRecord): boolean; todo: string }
  /** Read only where its total is more than what the slices of lower rank showed together. */
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
       * A request is answered for one calendar month at least, and for the days around its end perhaps:
       * windows are months, and what one leaves out of its first or last day is asked for beside it.
       */
      byMonth?: true
      /**
       * Asked on both sides of the owned range, in days, because the service's bounds are exclusive
       * or inexact.
       */
      overlapDays: number
      /** How far back rows may still appear or change: read again each night. */
      lookbackDays: number
      /** How far back is read: as far as the service answers, if it names a bound. */
      historyLimitDays: number
      /** It names none: an account may set another (`historyDays`). */
      unbounded?: true
      request(asked: Window): SliceRequest
      /** Lists outside the windows that belong to the same group (the trash). */
      besides?(): SliceRequest[]
      /** The boolean column that is true for the rows of those lists. */
      besidesColumn?: string
      /**
       * Asks for what changed in a range, wherever it is owned: read before the windows, so that a row is
       * fresh though its window is not due. It owns nothing, so nothing is missing from it.
       */
      incremental?(asked: Window): CallArguments
      /**
       * The documents name no window: a service may not know what windows are asked for with, and show the
       * whole list each time. Then it is asked for so, once, in place of all windows.
       */
      whole?(): SliceRequest
    }
  /** One list per row of the parent stream. */
  | {
      kind: 'fan-out'
      parent: Stream
      request(parentKey: readonly string[], span?: Span): SliceRequest
      /**
       * The parent's columns between whose instants its records lie: the request is told them, and a list is
       * read again when they change.
       */
      within?: { from: string; to: string }
      /** Of parents whose ID begins so there is nothing to ask. */
      nothingOf?: string
      order: string
      /**
       * When a parent is read again: once these columns of it differ from what they were, or after so many
       * days; `_hash` is a column too, which differs after any change of the record. Without it until its
       * count repeats after a day.
       */
      again?: { versions: readonly string[]; maxAgeDays: number }
    }
  /** Cut from the payload of each new or changed row of the parent stream. */
  | {
      kind: 'nested'
      parent: Stream
      /** The list as it came, whatever stands in its place. */
      items(record: WireRecord): unknown
      /**
       * The parent's columns that count or measure these records, and others too: while all of them stay as
       * they were, a list that became shorter is not believed.
       */
      measuredBy?: readonly string[]
      /** The parent's column that is 0 where no list of the parent holds a record. */
      countedBy?: string
    }

/**
 * What decides that a row is deleted which its complete slices no longer show: the answer of a detail call
 * (its operation declares which answers), a second complete read at least `afterMs` later, the deletion of
 * its parent, or nothing. Past the instant in the column `expiresAt` a row is *expired*: neither deleted nor
 * a matter for the deletion guard. `superseded` tells that the detail call answered with the record that took
 * the row's place.
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

/** What a record may hold that nobody should keep. */
export type TransientField =
  | 'access_key'
  | 'download_access_token'
  | 'download_url'
  | 'personal_meeting_url'
  | 'pin'

/**
 * How an operation's records become the table `svc.<name>`. The columns' order is the table's, the key's is
 * the primary key's after `account`. A column is filled from the record's field of the same name unless
 * `derive` says otherwise.
 */
export interface Stream {
  name: string
  /** What one row is, in one sentence. */
  about: string
  operation: Operation
  columns: Readonly<Record<string, Column>>
  key: readonly string[]
  /** The columns that say whose record this is: by an ID or an address. Who is erased takes the row along. */
  subject?: readonly string[]
  /**
   * Columns that name the same person for good: from one of them an erasure learns the others, and from
   * `called`, each a list of columns that make a name together, what the person is called.
   */
  person?: { known: readonly string[]; called: readonly (readonly string[])[] }
  personal: readonly string[]
  /** Wire fields used at once and never stored, at any depth: signed URLs, download tokens. */
  transient: readonly TransientField[]
  /** Columns kept apart, without history: their change alone makes no new version. */
  volatile: readonly string[]
  /** Wire fields that every record is documented to have: one that lacks them is stored, and counted. */
  expected?: readonly string[]
  /** Other spellings of a column's field: the first of all that is filled counts. */
  aliases?: Readonly<Record<string, readonly string[]>>
  /** Other documented wire fields: what `derive` and the cut streams read. Any further field is drift. */
  also?: readonly string[]
  /** Audited streams keep the bytes of each record as received, with transient values blanked. */
  audited?: boolean
  sync: Sync
  deletions: DeletionRule
  /** Its list comes to nothing now and then: an empty one is no sign of a fault. */
  mayBeEmpty?: true
  /** Columns whose value is not simply the record's field of that name. */
  derive?(record: WireRecord, context: RowContext): Readonly<Record<string, unknown>>
}

/** The stream that is requested itself: the rows of a nested one are cut from its records. */
export function fetchedStream(stream: Stream): Stream {
  return stream.sync.kind === 'nested' ? fetchedStream(stream.sync.parent) : stream
}

/** What a record has for a column of this name, whichever way its field is spelled. */
export function valueOf({ aliases }: Stream, record: WireRecord, name: string): unknown {
  const value = record[name]
  const others = aliases?.[name]
  if (others === undefined || !isEmpty(value)) return value
  return others.map((other) => record[other]).find((other) => !isEmpty(other)) ?? value
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
