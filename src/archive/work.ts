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
  /** A drop past both is large. */
  deletionGuard: { share: number; rows: number }
}

export interface ArchiveOptions {
  account: string
  lease: Lease
  runId: number
  source: FileSource
  signal: AbortSignal
  /** A look before other work: only what cannot wait for it. */
  beforeOthers?: boolean
  /** Asks once more for what was written off, also where a sync found its parent deleted. */
  retry?: boolean
  onProgress?: ((progress: FileProgress) => void) | undefined
}

/** One archiving while it goes on. */
export interface ArchiveWork extends ArchiveDeps, ArchiveOptions {
  archive: ArchiveAccess
  result: ArchiveResult
  scope: FileScope
  /** What the store seems to have lost is not fetched: the store itself may be away. */
  leaveLost?: boolean
}

/** An account's archive, as a use case of the engine is given it. */
export interface ArchiveAccess {
  settings: Pick<
    ArchiveSettings,
    | 'files'
    | 'recordings'
    | 'recordingsDays'
    | 'recordingsBytes'
    | 'priority'
    | 'hosts'
    | 'runMinutes'
  >
  /** The account's store, open: one for the process, which closes it when it is done with the account. */
  store(): Promise<FileStore>
  /** How many calls a label may make from now until an instant; undefined while its rate is to be learned. */
  callBudget(label: RateLabel): Promise<((untilMs: number) => number) | undefined>
  /** Whether the day's calls of the label may not suffice for the archives that expire within seven days. */
  callsAreScarce(label: RateLabel): Promise<boolean>
}

/** The age up to which files are fetched; undefined without a bound. */
export function mostDays(
  { settings }: Pick<ArchiveAccess, 'settings'>,
  { kind }: FileSource,
): number | undefined {
  return kind === 'recording' ? settings.recordingsDays : undefined
}

/** Whether the configuration wants the files of a kind at all. */
export function wantsFiles(
  { settings }: { settings: Pick<ArchiveSettings, 'files' | 'recordings'> },
  { kind }: FileSource,
): boolean {
  return kind === 'activity' ? settings.files : settings.recordings
}
