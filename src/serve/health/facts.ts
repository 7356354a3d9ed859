import type { HealthSettings } from '../../config/health-settings.ts'
import type { Attempt } from '../../core/time/next-start.ts'
import type { LowStretch } from '../../core/values/low-stretch.ts'
import type { Failure } from '../../sync/run/failure.ts'

/** What the health of one account is judged by. Instants are epoch milliseconds. */
export interface HealthFacts {
  account: string
  settings: HealthSettings
  /** Undefined unless the database was restored from a backup, or replaced, and nobody has acted yet. */
  restored: RestoredFacts | undefined
  /** When the ledger of runs first knows of the account; undefined before its first run. */
  firstMs: number | undefined
  /** Those that are enabled. */
  jobs: readonly JobFacts[]
  /**
   * Since when a service has been able to work: its start, a wake-up, the return of its database. Undefined
   * where nothing is known of it, as for a command.
   */
  awakeMs?: number | undefined
  drops: readonly DropFacts[]
  /** Undefined where no person has to allow the app. */
  login: LoginFacts | undefined
  /** The streams that the last run of their job was not allowed to read. */
  refused: readonly RefusedFacts[]
  /** What the newest reads could not use, by stream. */
  setAside?: readonly SetAsideFacts[]
  /** The streams of which far fewer records begin than before. */
  low?: readonly LowStretch[]
  /** Undefined where no archives are fetched. */
  archive: ArchiveFacts | undefined
  /** The requests that are not done. */
  erasures: readonly ErasureFacts[]
  /** The runs that record evidence and got to an end, oldest first; none where no evidence is kept. */
  evidence: readonly EvidenceRun[]
  /** The verifications of the evidence, oldest first. */
  verifications: readonly { runId: number; endedMs: number; findings: number }[]
  /** The daily quotas of which today's work needs something. */
  quotas: readonly QuotaNeed[]
  /** Undefined where the account has no secrets of notifications. */
  notifications: { lastMs: number | undefined } | undefined
}

/** What this machine knows and the database does not. */
export interface RestoredFacts {
  /** When this machine last worked with the database that it knows. */
  workedMs: number
  /** The last that this database knows of. */
  knownMs: number | undefined
}

export interface JobFacts {
  job: string
  schedule: string
  timezone: string
  /** The last of the whole job, oldest first. */
  runs: readonly JobRun[]
  /** When the last run began that did all of it. */
  lastDoneMs: number | undefined
  /** It fetches files that expire. */
  fetchesFiles?: boolean
}

export interface JobRun extends Attempt {
  id: number
  /** Its process is at work now; its ending says nothing yet. */
  running: boolean
  /** Why it failed or was incomplete; undefined where nothing says so. */
  failure?: Failure | undefined
}

/** One for each stream, which every run until the approval holds back again. */
export interface DropFacts {
  stream: string
  /** The newest of these runs. */
  runId: number
  missing: number
  owned: number
  sinceMs: number
}

/** `ended`: the service takes no renewal any more. */
export type LoginFacts = { state: 'missing' | 'ended' | 'held'; endsMs: number | undefined }

export interface RefusedFacts {
  stream: string
  /** It was read whole before. */
  wasRead: boolean
  /** What the run reported. */
  reason?: string
  sinceMs: number
}

export interface SetAsideFacts {
  stream: string
  records: number
  sinceMs: number
}

export interface ArchiveFacts {
  /** Files that the quota lets expire within seven days. */
  willExpire: number
  /** Past their last day and not fetched: files, and sessions whose files were never listed. */
  overdue: number
  overdueSessions: number
  /** Files that expired unfetched in the last seven days, and when the ledger first says so. */
  expired: number
  expiredSinceMs: number | undefined
}

export interface ErasureFacts {
  request: number
  requestedMs: number
  dueMs: number
  /** Only files that a hold keeps are left of the person. */
  heldAlone: boolean
}

export interface EvidenceRun {
  runId: number
  state: 'complete' | 'incomplete' | 'failed'
  endedMs: number
  /** Entries that nobody with our key made. */
  unexplained: number
  /** By whom the newest checkpoint is cosigned, where those are too few. */
  unwitnessed?: string | undefined
}

export interface QuotaNeed {
  pool: string
  /** Calls of today's work, as far as they can be foreseen. */
  needed: number
  left: number
}

/** What the health of the installation is judged by. */
export interface InstallationFacts {
  settings: Pick<HealthSettings, 'diskFreeGb'>
  disks: readonly DiskFacts[]
}

export interface DiskFacts {
  /** The settings that name its directories, such as `archive.directory`. */
  directories: readonly string[]
  freeBytes: number
}
