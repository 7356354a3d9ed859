import type { Expression, RawBuilder } from 'kysely'
import type { Stream } from './stream.ts'
import type { GoneRowsOf, Relation, RowsOf, VersionsOf } from './stream-row.ts'

/** Who is responsible for a part of the account, as `reports.owners` declares it. */
export interface Owner {
  name: string
  mail: readonly string[]
  /** Regular expressions. */
  sessionKeys: readonly string[]
  sites: readonly string[]
  departments: readonly string[]
}

export type OwnerField = 'sessionKeys' | 'sites' | 'departments'

/** Declares how a report is made for one owner, from this owner's rows alone. */
export interface ReportCut<Streams extends Stream, Context> {
  /** What decides to whom a row belongs. */
  by: readonly OwnerField[]
  /** Returns which rows `r` of each stream belong to the owner. A cut can read no other stream. */
  owned(source: CutSource<Streams>): Promise<OwnedRows>
  /** Counts the rows that a context has, for the sentence about rows without an owner. */
  count(context: Context): Promise<readonly OwnedCount[]>
}

export type OwnedRows = ReadonlyMap<Stream, RawBuilder<boolean>>

export interface OwnedCount {
  count: number
  one: string
  many: string
}

/** The rows of all owners, from which a report finds those of one. */
export interface CutSource<in Streams extends Stream> {
  rows: RowsOf<Streams>
  goneRows: GoneRowsOf<Streams>
  versions: VersionsOf<Streams>
  keep<Row>(name: string, query: Expression<Row>): Promise<Relation<Row>>
  /** Returns the place in the list of the first owner whom a value matches, or null. */
  place(by: OwnerField, value: RawBuilder<unknown>): RawBuilder<number | null>
  /** Whether this place is that of the owner. */
  isOwned(place: RawBuilder<number | null>): RawBuilder<boolean>
}
