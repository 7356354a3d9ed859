import type { ArchiveTables } from '../../core/tables/archive-tables.ts'
import type { LedgerTables } from '../../core/tables/ledger-tables.ts'
import type { ServiceTables } from '../../core/tables/service-tables.ts'
import type { Bookkeeping, DataTables, VersionEnd } from '../../resources/tables.ts'

/**
 * The types of the warehouse's tables, so that a query of an unknown column does not compile. The ledgers'
 * types are generated from the migrated database; the data's types derive from the streams' declarations.
 * Instants are ISO text in UTC, both read and written; dates are `yyyy-mm-dd`. A bigint is read as a number
 * if it is a safe integer, else as its digits.
 */
export interface Database extends LedgerTables, ArchiveTables, ServiceTables, DataTables {}

/** The common columns of a stream's table, for streams that are known only at run time. */
export type StreamRow = Bookkeeping
/** The common columns of an earlier version. */
export type EndedRow = StreamRow & VersionEnd

export type RunState = LedgerTables['callsheet.runs']['state']
export type SliceState = LedgerTables['callsheet.slices']['state']
