import type { Bookkeeping, DataTables, Ending } from '../../resources/tables.ts'
import type { ArchiveTables } from './archive-tables.ts'
import type { LedgerTables } from './ledger-tables.ts'

/**
 * What the warehouse holds, so that a query of a column that is not there does not compile. The ledgers'
 * types are printed from the migrated database; those of the data derive from the streams' declarations.
 * Instants are ISO text in UTC both ways, dates `yyyy-mm-dd`; a bigint comes as a number while it is a safe
 * one, else as its digits.
 */
export interface Database extends LedgerTables, ArchiveTables, DataTables {}

/** A row of a stream's table where the stream is known at run time alone, its own columns aside. */
export type StreamRow = Bookkeeping
/** The same of an earlier version. */
export type EndedRow = StreamRow & Ending

export type RunState = LedgerTables['callsheet.runs']['state']
export type SliceState = LedgerTables['callsheet.slices']['state']
