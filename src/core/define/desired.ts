import type { z } from 'zod'
import type { CallArguments, Operation } from './operation.ts'
import type { Stream } from './stream.ts'

/** A row of a stream's table, each value as text. */
export type TextRow = Readonly<Record<string, string | null>>

/** The rows of an account at one moment. */
export interface AccountRows {
  /** The rows whose column `by` holds one of the values; without `by` all, for streams that are small. */
  rows(query: RowQuery): Promise<TextRow[]>
}

export interface RowQuery {
  stream: Stream
  columns: readonly string[]
  by?: { column: string; values: readonly string[] }
  /** Each combination of the columns once. */
  distinct?: true
}

/** Rows of a stream by what a column of them holds. */
export interface EndedRows {
  stream: Stream
  by: { column: string; values: readonly string[] }
}

/** The account as it was just read. */
export interface LiveAccount extends AccountRows {
  nowMs: number
  /** For how many days a number that nobody has any more is left alone; 0: not at all. */
  quarantineDays: number
  /** When a row with one of the values last ended, epoch milliseconds, by the value. */
  endedAtMs(query: EndedRows): Promise<ReadonlyMap<string, number>>
  /** What rows said before they were as they are now, and rows that are gone. */
  former(query: RowQuery): Promise<TextRow[]>
  /**
   * What we ourselves sent by these operations and the service did, the oldest first, as far back as that is
   * known: an erasure may have emptied the record of it.
   */
  writes(operations: readonly Operation[]): Promise<OwnWrite[]>
}

/** A call that changed something, from our own record of them. `unknown`: nobody knows if it was done. */
export interface OwnWrite {
  operation: string
  path: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
  state: 'done' | 'unknown'
  /** How many calls were to come after it for the same things. */
  toFollow: number
  askedAtMs: number
}

/** What is wanted of one thing, and where somebody wrote it. */
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

/** How what is wanted is read from the sheet of a workbook. */
export interface SheetForm<Entry> {
  name: string
  /** The titles of the columns that are read. */
  columns: readonly string[]
  /** Those of them that tell a line from others, and those whose edits in a line that was there count. */
  key: readonly string[]
  acts: readonly string[]
  /**
   * What somebody edited. `base` is the account as the workbook showed it when it was made; without it every
   * line is wanted as it stands. Lines come a batch at a time, and `end` after the last of them.
   */
  reader(base: AccountRows | undefined): SheetReader<Entry>
}

export interface SheetReader<Entry> {
  take(lines: readonly SheetLine[]): Promise<readonly Placed<Entry>[]>
  end(): Promise<readonly Placed<Entry>[]>
  /** Once it has ended: what the sheet no longer lists. Absent where a line that is gone says nothing. */
  drop?(): LineDrop
}

/** How many lines are gone, of how many that the workbook had when it was made. */
export interface LineDrop {
  deleted: number
  of: number
}

/**
 * What is to be done about one thing. `present`: it is as it is wanted. `waiting`: our part is done, and a
 * person has to do the rest at the service. `refused`: we do not send it, and say why.
 */
export type Action = 'add' | 'change' | 'remove' | 'present' | 'waiting' | 'refused'

export interface PlanItem {
  /** The same thing has the same key in every plan. */
  key: string
  what: string
  place: string
  action: Action
  /** What changes, from what to what. */
  details?: string
  /** Why it is refused, what it waits for, or what must be known before it is done. */
  why?: string
  /** It would put back what was so before and was changed since, and nobody knows if that is meant. */
  undoes?: true
  /** The calls that do it, one after the other. */
  sends: readonly Send[]
  /** How the service names it where it lists what failed. */
  namedAs?: string
  /** What a call before must have made, by the name under which its ID is kept. */
  needs?: string
}

/** Which thing an item is about. */
export type NamedItem = Pick<PlanItem, 'key' | 'what' | 'place'>

/** An item's part of a call. Those that agree in operation and `together` go out in one, `most` at a time. */
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
  /** What is read before a plan is made, with what is cut from it, and again after it was carried out. */
  reads: readonly Stream[]
  /** The calls that make it so. */
  writes: readonly Operation[]
  /** Read all of it, not only what is due: what changes may lie far back, or change in silence. */
  full?: true
  plan(entries: readonly Placed<Entry>[], live: LiveAccount): Promise<PlanItem[]>
}

export function defineDesired<Entry>(desired: Desired<Entry>): Desired<Entry> {
  return Object.freeze(desired)
}

/** Something that is wanted and that we do not send. */
export function refusedItem({ key, what, place }: NamedItem, why: string): PlanItem {
  return { key, what, place, action: 'refused', why, sends: [] }
}

/** Something that was so before: nothing tells whether it was edited, or is older than the change. */
export function undoingItem(item: PlanItem): PlanItem {
  return { ...item, undoes: true, why: 'it was so before, and was changed since' }
}

/** Something that is as it is wanted. */
export function presentItem(item: NamedItem): PlanItem {
  return { ...item, action: 'present', sends: [] }
}
