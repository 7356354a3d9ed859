import type { ArchiveDeadlines } from '../../archive/read-deadlines.ts'
import type { FileStateCount } from '../../archive/sql/files.ts'
import type { Cause } from '../../core/define/cause.ts'
import type { NotificationStatus } from '../notifications/notification-status.ts'
import type { PoolStatus } from './quota-pools.ts'
import type { LedgerStatus } from './read-ledgers.ts'
import type { JobStatus } from './read-status.ts'
import type { RunOverview } from './run-overview.ts'

/** An account's state at an instant, for its page and metrics, without personal data. */
export interface AccountSnapshot {
  account: string
  /** The instant, in epoch milliseconds. Streams, planned calls and notifications may be an hour older. */
  readAtMs: number
  causes: readonly Cause[]
  jobs: readonly JobSnapshot[]
  ledgers: LedgerStatus
  /** `planned` counts the calls of all enabled jobs. */
  quota: readonly PoolStatus[]
  archive: {
    deadlines: Omit<ArchiveDeadlines, 'lost'> | undefined
    files: readonly FileStateCount[]
  }
  notifications: NotificationStatus
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
  /** The last due time. */
  lastMs: number | undefined
  /** The next start by the ledger; in the past if the job is waiting to start. */
  nextStartMs: number | undefined
  /** How long the job has been due; 0 if a run that began after the due time is complete. */
  overdueMs: number
}
