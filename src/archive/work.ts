import type { Client } from '../api/client.ts'
import type { ArchiveSettings } from '../config/archive-settings.ts'
import type { FileSource } from '../core/define/file-source.ts'
import type { RateLabel } from '../core/define/operation.ts'
import type { EvidenceAccess } from '../evidence/log/evidence-access.ts'
import type { FileStore } from '../store/store.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import type { DatabaseDeps } from '../warehouse/ledger/retry-database.ts'
import type { ArchiveResult, FileProgress } from './result.ts'
import type { FileScope } from './sql/files.ts'

export interface ArchiveDeps extends DatabaseDeps {
  client: Client
  archive?: ArchiveAccess
  evidence?: () => EvidenceAccess
  /** A drop is large if it exceeds both the share and the number of rows. */
  deletionGuard: { share: number; rows: number }
}

export interface ArchiveOptions {
  account: string
  lease: Lease
  runId: number
  source: FileSource
  signal: AbortSignal
  /** Runs before the job reads its lists, and fetches only files that expire within seven days. */
  beforeOthers?: boolean
  /** Tries written-off files again, also if a sync found their parent deleted. */
  retry?: boolean
  onProgress?: ((progress: FileProgress) => void) | undefined
}

/** One pass over the files of a source. */
export interface ArchiveWork extends ArchiveDeps, ArchiveOptions {
  archive: ArchiveAccess
  result: ArchiveResult
  scope: FileScope
  /** If true, files that the store seems to have lost are not fetched: the store may be unavailable. */
  leaveLost?: boolean
}

/** An account's archive. */
export interface ArchiveAccess {
  settings: Pick<
    ArchiveSettings,
    'files' | 'recordings' | 'recordingsDays' | 'recordingsBytes' | 'priority' | 'hosts'
  >
  /** The account's open store. The process has one and closes it when it is done with the account. */
  store(): Promise<FileStore>
  /** Returns a function that counts the calls that the label may make until an instant; see `callBudget`. */
  callBudget(label: RateLabel): Promise<((untilMs: number) => number) | undefined>
  /** Whether the label's calls of today may not suffice for archives that expire within seven days. */
  callsAreScarce(label: RateLabel): Promise<boolean>
}

/** The maximum age in days of files to fetch; undefined without a limit. */
export function mostDays(
  { settings }: Pick<ArchiveAccess, 'settings'>,
  { kind }: FileSource,
): number | undefined {
  return kind === 'recording' ? settings.recordingsDays : undefined
}

/** Whether the configuration enables files of this kind. */
export function wantsFiles(
  { settings }: { settings: Pick<ArchiveSettings, 'files' | 'recordings'> },
  { kind }: FileSource,
): boolean {
  return kind === 'activity' ? settings.files : settings.recordings
}
