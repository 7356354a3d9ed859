import type { Selectable } from 'kysely'
import type { ArchiveTables } from '../tables/archive-tables.ts'
import type { LedgerTables } from '../tables/ledger-tables.ts'
import type { ServiceTables } from '../tables/service-tables.ts'

/**
 * The engine's own tables that a report may read besides its streams. Each query must filter by the account.
 * Of `calls` and `erasure_requests`, which have personal data, only the columns below can be read.
 */
export type ReportLedgers = { [T in keyof Readable]: Selectable<Readable[T]> }

interface Readable
  extends Pick<
      ArchiveTables,
      | 'callsheet.audit_settings'
      | 'callsheet.checkpoints'
      | 'callsheet.files'
      | 'callsheet.holds'
      | 'callsheet.incidents'
    >,
    Pick<
      LedgerTables,
      'callsheet.batches' | 'callsheet.deletion_guards' | 'callsheet.runs' | 'callsheet.slices'
    > {
  'callsheet.calls': Pick<
    ServiceTables['callsheet.calls'],
    'id' | 'account' | 'ended_at' | 'whiteboard_id' | 'classification_id' | 'label'
  >
  'callsheet.erasure_requests': Pick<
    ArchiveTables['callsheet.erasure_requests'],
    'account' | 'state' | 'ended_at'
  >
}
