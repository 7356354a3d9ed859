import type { z } from 'zod'
import type { CallArguments, Operation } from './operation.ts'
import type { Stream } from './stream.ts'

export type TextRow = Readonly<Record<string, string | null>>

export interface AccountRows {
  /** The rows whose column `by` has one of the values; without `by` all rows, for small streams. */
  rows(query: RowQuery): Promise<TextRow[]>
}

export interface RowQuery {
  stream: Stream
  columns: readonly string[]
  by?: { column: string; values: readonly string[] }
  /** Returns each combination of values once. */
  distinct?: true
}

export interface EndedRows {
  stream: Stream
  by: { column: string; values: readonly string[] }
}

/** The account as the sync before the plan has just read it. */
export interface LiveAccount extends AccountRows {
  nowMs: number
  /** For how many days a released number stays unassigned; 0: no quarantine. */
  quarantineDays: number
  /** By value: when the last row with that value ended, in epoch milliseconds. */
  endedAtMs(query: EndedRows): Promise<ReadonlyMap<string, number>>
  /** Our calls that took effect or may have, oldest first; only those after the last erased call. */
  writes(operations: readonly Operation[]): Promise<OwnWrite[]>
}

/** A write that we sent. `unknown`: whether it took effect is unknown. */
export interface OwnWrite {
  operation: string
  path: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
  state: 'done' | 'unknown'
  /** How many further calls for the same items were planned to follow. */
  toFollow: number
  askedAtMs: number
}

/** The desired state of one item, and where it is written. */
export interface Placed<Entry> {
  /** `All numbers, row 17`, or `changes.yaml:12:5`. */
  place: string
  entry: Entry
}

/** A line of a workbook's table: its cells as text, by column title. */
export interface SheetLine {
  place: string
  cells: Readonly<Record<string, string>>
}

/** How the desired state is read from the sheet of a workbook. */
export interface SheetForm<Entry> {
  name: string
  /** The titles of the columns that are read. */
  columns: readonly string[]
  /**
   * Reads the edits. `base` has the account's rows as the workbook showed them when it was created. Lines are
   * passed in batches, then `end` is called.
   */
  reader(base: AccountRows): SheetReader<Entry>
}

export interface SheetReader<Entry> {
  take(lines: readonly SheetLine[]): Promise<readonly Placed<Entry>[]>
  end(): Promise<readonly Placed<Entry>[]>
  /** Called after `end`: counts the lines deleted from the sheet. Absent if deleted lines have no meaning. */
  drop?(): LineDrop
}

/** How many lines were deleted, of those that the workbook had when it was created. */
export interface LineDrop {
  deleted: number
  of: number
}

/**
 * The action for one item. `present`: it already has the desired state. `waiting`: our part is done, and a
 * person has to do the rest at the service. `refused`: we send nothing and report why.
 */
export type Action = 'add' | 'change' | 'remove' | 'present' | 'waiting' | 'refused'

export interface PlanItem {
  /** Identifies the item across plans. */
  key: string
  what: string
  place: string
  action: Action
  /** The changes, with old and new values. */
  details?: string
  /** Why the item is refused, what it waits for, or a caveat to read before its calls are sent. */
  why?: string
  /** The calls to send, in this order. */
  sends: readonly Send[]
  /** The item's name in the service's list of failed items. */
  namedAs?: string
  /** The name in `Send.makes` of an object that an earlier call must have created. */
  needs?: string
}

export type NamedItem = Pick<PlanItem, 'key' | 'what' | 'place'>

/** An item's part of a call. At most `most` parts with the same operation and `together` share a call. */
export interface Send {
  operation: Operation
  args: CallArguments
  together: string
  most: number
  member: string
  /** `made`: the IDs that earlier calls returned, by name. */
  body?(members: readonly string[], made: ReadonlyMap<string, string>): unknown
  /** The name under which later calls find the ID that this call returned. */
  makes?: { name: string; id(answer: unknown): string }
}

/** One kind of item whose desired state a file can describe. */
export interface Desired<Entry> {
  /** The list's name in a YAML file. */
  name: string
  title: string
  entry: z.ZodType<Entry>
  sheet?: SheetForm<Entry>
  /** The streams to read, with those nested in them, before planning and after the plan is carried out. */
  reads: readonly Stream[]
  writes: readonly Operation[]
  /** Reads every slice before planning, not only due ones: a change may be far back or leave no trace. */
  full?: true
  plan(entries: readonly Placed<Entry>[], live: LiveAccount): Promise<PlanItem[]>
}

export function defineDesired<Entry>(desired: Desired<Entry>): Desired<Entry> {
  return Object.freeze(desired)
}

export function refusedItem({ key, what, place }: NamedItem, why: string): PlanItem {
  return { key, what, place, action: 'refused', why, sends: [] }
}

export function presentItem(item: NamedItem): PlanItem {
  return { ...item, action: 'present', sends: [] }
}
