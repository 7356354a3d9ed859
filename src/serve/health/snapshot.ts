import type { ArchiveDeadlines } from '../../archive/read-deadlines.ts'
import type { FileStateCount } from '../../archive/sql/files.ts'
import type { Cause } from '../../core/define/cause.ts'
import type { NotificationStatus } from '../notifications/notification-status.ts'
import type { CoverageDays } from './coverage-days.ts'
import type { LedgerStatus } from './read-ledgers.ts'
import type { JobStatus } from './read-status.ts'
import type { RunOverview } from './run-overview.ts'

/** How an account stood at an instant: all that its page and its metrics show. It holds no personal data. */
export interface AccountSnapshot {
  account: string
  /** Epoch milliseconds. Rows, files, days and forecasts may be some minutes older. */
  readAtMs: number
  causes: readonly Cause[]
  jobs: readonly JobSnapshot[]
  /** Drops that wait for a person, and streams that the account may not read, are among them. */
  ledgers: LedgerStatus
  quota: readonly PoolSnapshot[]
  archive: {
    deadlines: Omit<ArchiveDeadlines, 'lost'> | undefined
    files: readonly FileStateCount[]
  }
  notifications: NotificationStatus
  days: CoverageDays
  /** The latest few, newest first. */
  lastRuns: readonly RunOverview[]
}

export interface JobSnapshot extends JobStatus {
  title: string
  /** Undefined: the job is disabled. */
  due: DueSnapshot | undefined
}

export interface DueSnapshot {
  schedule: string
  timezone: string
  /** When the job was due last. */
  lastMs: number | undefined
  /** When it starts next, as far as the ledger tells. An instant of the past means that it waits to start. */
  nextStartMs: number | undefined
  /** How long it has been due; 0 once a run that began after its due time was complete. */
  overdueMs: number
}

/** The calls of a day that some rate labels share. */
export interface PoolSnapshot {
  pool: string
  /** Today, which began at 00:00 UTC. */
  spent: number
  /** Of a day, less the reserve; undefined if it is not known. */
  limit: number | undefined
  /** What a sync of all enabled jobs would take, if it began now. */
  planned: number
}
