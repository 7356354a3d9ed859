import type { z } from 'zod'
import type { CallArguments, Operation } from './operation.ts'
import type { Stream } from './stream.ts'

/** A row of a stream's table, each value as text. */
export type TextRow = Readonly<Record<string, string | null>>

/** The rows of an account at one moment. */
export interface AccountRows {
  /** The rows whose column `by` has one of the values; without `by` all rows, for small streams. */
  rows(query: RowQuery): Promise<TextRow[]>
}

export interface RowQuery {
  stream: Stream
  columns: readonly string[]
  by?: { column: string; values: readonly string[] }
  /** Each combination of the columns once. */
  distinct?: true
}

/** Rows of a stream, selected by the values of a column. */
export interface EndedRows {
  stream: Stream
  by: { column: string; values: readonly string[] }
}

/** The account as it was just read. */
export interface LiveAccount extends AccountRows {
  nowMs: number
  /** For how many days an unassigned number is left alone; 0: not at all. */
  quarantineDays: number
  /** When a row with one of the values last ended, epoch milliseconds, by the value. */
  endedAtMs(query: EndedRows): Promise<ReadonlyMap<string, number>>
  /** Earlier versions of rows, and deleted rows. */
  former(query: RowQuery): Promise<TextRow[]>
  /**
   * Our own successful or unresolved calls of these operations, oldest first, as far back as known: an
   * erasure may have emptied their record.
   */
  writes(operations: readonly Operation[]): Promise<OwnWrite[]>
}

/** A write call from our own record. `unknown`: whether it took effect is unknown. */
export interface OwnWrite {
  operation: string
  path: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
  state: 'done' | 'unknown'
  /** How many further calls for the same items were planned after it. */
  toFollow: number
  askedAtMs: number
}

/** The desired state of one item, and where somebody wrote it. */
export interface Placed<Entry> {
  /** `All numbers, row 17`, or `wishes.yaml:12:5`. */
  place: string
  entry: Entry
}

/** A line of a workbook's table: its cells as text, by the titles of their columns. */
export interface SheetLine {
  place: string
  cells: Readonly<Record<string, string>>
}

/** How the desired state is read from the sheet of a workbook. */
export interface SheetForm<Entry> {
  name: string
  /** The titles of the columns that are read. */
  columns: readonly string[]
  /** The columns that identify a line, and (`acts`) those whose edits in an existing line count. */
  key: readonly string[]
  acts: readonly string[]
  /**
   * Reads the edits. `base` is the account as the workbook showed it when created; without it every line
   * counts as desired. Lines are passed in batches, then `end` is called.
   */
  reader(base: AccountRows | undefined): SheetReader<Entry>
}

export interface SheetReader<Entry> {
  take(lines: readonly SheetLine[]): Promise<readonly Placed<Entry>[]>
  end(): Promise<readonly Placed<Entry>[]>
  /** After the end: the lines deleted from the sheet. Absent if deleted lines have no meaning. */
  drop?(): LineDrop
}

/** How many lines were deleted, out of those that the workbook had when created. */
export interface LineDrop {
  deleted: number
  of: number
}

/**
 * The action for one item. `present`: it has the desired state. `waiting`: our part is done, and a person has
 * to do the rest at the service. `refused`: we do not send it, and report why.
 */
export type Action = 'add' | 'change' | 'remove' | 'present' | 'waiting' | 'refused'

export interface PlanItem {
  /** Identifies the item in every plan. */
  key: string
  what: string
  place: string
  action: Action
  /** The changes, with old and new values. */
  details?: string
  /** Why it is refused, what it waits for, or a caveat to read before it is done. */
  why?: string
  /** It would restore an earlier state that was changed since, possibly unintentionally. */
  undoes?: true
  /** The calls that do it, one after the other. */
  sends: readonly Send[]
  /** The service's name for it in a list of failed items. */
  namedAs?: string
  /** The object that an earlier call must have created, by the name under which its ID is stored. */
  needs?: string
}

/** The object of an item. */
export type NamedItem = Pick<PlanItem, 'key' | 'what' | 'place'>

/**
 * An item's part of a call. Parts with equal operation and `together` share one call, at most `most` in each.
 */
export interface Send {
  operation: Operation
  args: CallArguments
  together: string
  most: number
  member: string
  /** `made`: the IDs that earlier calls returned, by name. */
  body?(members: readonly string[], made: ReadonlyMap<string, string>): unknown
  /** The name under which later calls find the ID that this call's response returned. */
  makes?: { name: string; id(answer: unknown): string }
}

/** One kind of item whose desired state a file can describe. */
export interface Desired<Entry> {
  /** The list's name in a YAML file. */
  name: string
  title: string
  entry: z.ZodType<Entry>
  sheet?: SheetForm<Entry>
  /**
   * The streams to read before planning, with those nested in them, and again after the plan was carried out.
   */
  reads: readonly Stream[]
  /** The calls that establish the desired state. */
  writes: readonly Operation[]
  /** Read everything, not only due slices: changes may be far back or leave no trace. */
  full?: true
  plan(entries: readonly Placed<Entry>[], live: LiveAccount): Promise<PlanItem[]>
}

export function defineDesired<Entry>(desired: Desired<Entry>): Desired<Entry> {
  return Object.freeze(desired)
}

/** A desired item that we do not send. */
export function refusedItem({ key, what, place }: NamedItem, why: string): PlanItem {
  return { key, what, place, action: 'refused', why, sends: [] }
}

/** An item with an earlier state: it may be a new edit, or older than the change. */
export function undoingItem(item: PlanItem): PlanItem {
  return { ...item, undoes: true, why: 'it was so before, and was changed since' }
}

/** An item that already has the desired state. */
export function presentItem(item: NamedItem): PlanItem {
  return { ...item, action: 'present', sends: [] }
}
