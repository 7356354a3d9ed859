import type { Client } from '../api/client.ts'
import type { FileSource } from '../core/define/file-source.ts'
import type { EvidenceAccess } from '../evidence/log/evidence-access.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import type { DatabaseDeps } from '../warehouse/ledger/retry-database.ts'
import type { ArchiveAccess } from './archive-access.ts'
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
