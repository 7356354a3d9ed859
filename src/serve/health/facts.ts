import type { HealthSettings } from '../../config/health-settings.ts'
import type { CallsheetError } from '../../core/errors.ts'
import type { Attempt } from '../../core/time/next-start.ts'
import type { LowStretch } from '../../core/values/low-stretch.ts'
import type { Failure } from '../../sync/run/failure.ts'
import type { PoolStatus } from './quota-pools.ts'

/** The facts that decide the health of one account. Instants are epoch milliseconds. */
export interface HealthFacts {
  account: string
  settings: HealthSettings
  /**
   * Why no work on the account begins in this database: another one has its rows, or this one was restored
   * from a backup or replaced, and nobody has settled that yet.
   */
  unusable: Pick<CallsheetError, 'code' | 'facts'> | undefined
  /** When the account's first run that is not a verification began; undefined before. */
  firstMs: number | undefined
  /** The enabled jobs. */
  jobs: readonly JobFacts[]
  /**
   * Since when `callsheet serve` can work: its start, the machine's wake-up, or the return of its database.
   * Undefined in other commands.
   */
  awakeMs?: number | undefined
  drops: readonly DropFacts[]
  /** Undefined if the app needs no login by a person. */
  login: LoginFacts | undefined
  /** The streams that the account was not allowed to read in their job's last run that reached its end. */
  refused: readonly RefusedFacts[]
  /** Records that the newest reads quarantined, by stream. */
  setAside?: readonly SetAsideFacts[]
  /** The streams with far fewer new records than usual. */
  low?: readonly LowStretch[]
  /** Undefined if no enabled job fetches archives and none expired lately. */
  archive: ArchiveFacts | undefined
  /** The open requests. */
  erasures: readonly ErasureFacts[]
  /** The last ended runs that record evidence, oldest first; empty if evidence is disabled. */
  evidence: readonly EvidenceRun[]
  /** The last verifications of the evidence, oldest first. */
  verifications: readonly { runId: number; endedMs: number; findings: number }[]
  /** The scheduled reports and tasks with their last attempts. */
  works?: readonly WorkFacts[]
  /** The daily quotas; `planned` counts the calls of today's remaining jobs. */
  quotas: readonly PoolStatus[]
}

export interface JobFacts {
  job: string
  schedule: string
  timezone: string
  /** The last runs of the whole job, oldest first. */
  runs: readonly JobRun[]
  /** When the last complete run began. */
  lastDoneMs: number | undefined
  /** Whether the job fetches files that expire. */
  fetchesFiles?: boolean
}

export interface JobRun extends Attempt {
  id: number
  /** Whether the run's process is still running; `ending` is meaningless until it ends. */
  running: boolean
  /** Why the run failed or was incomplete; undefined if not recorded. */
  failure?: Failure | undefined
}

/** The deletions of a stream that wait for approval. The counts are those of the newest run. */
export interface DropFacts {
  stream: string
  /** The newest run that held the deletion back. */
  runId: number
  missing: number
  owned: number
  sinceMs: number
}

/** With `ended`, the service rejects renewals. */
export type LoginFacts = { state: 'missing' | 'ended' | 'held'; endsMs: number | undefined }

export interface RefusedFacts {
  stream: string
  /** Whether the stream was ever read completely. */
  wasRead: boolean
  /** The problem that the run reported. */
  reason?: string
  sinceMs: number
}

export interface SetAsideFacts {
  stream: string
  records: number
  sinceMs: number
}

export interface ArchiveFacts {
  /** Files that will expire within seven days because the quota does not suffice. */
  willExpire: number
  /** Unfetched files past their last day. */
  overdue: number
  /** Sessions that expired before their activities were listed. */
  overdueSessions: number
  /** Files that expired unfetched in the last seven days. */
  expired: number
  /** When the first of the expired files was recorded. */
  expiredSinceMs: number | undefined
}

export interface ErasureFacts {
  request: number
  requestedMs: number
  dueMs: number
  /** Whether the person's only remaining data is files under a legal hold. */
  heldAlone: boolean
}

export interface EvidenceRun {
  runId: number
  state: 'complete' | 'incomplete' | 'failed'
  endedMs: number
  /** The number of entries that were not signed with our key. */
  unexplained: number
  /** The cosignatures of the newest checkpoint, if they are too few. */
  unwitnessed?: string | undefined
}

/** A scheduled report or task, and its last attempts. */
export interface WorkFacts {
  name: string
  kind: 'report' | 'task'
  /** The ended attempts, newest first. */
  attempts: readonly WorkAttempt[]
}

export interface WorkAttempt {
  endedMs: number
  /** `failed`: an error, or a report was not delivered. `person`: no retry, as somebody must act. */
  end: 'well' | 'failed' | 'person'
  error: string
}

/** The facts that decide the health of the installation. */
export interface InstallationFacts {
  settings: Pick<HealthSettings, 'diskFreeGb'>
  disks: readonly DiskFacts[]
}

export interface DiskFacts {
  /** The names of the settings whose directories are on the disk, such as `archive.directory`. */
  directories: readonly string[]
  freeBytes: number
}
