import type { FileSource } from '../../core/declare/file-source.ts'
import type { FileScope } from '../../warehouse/archive/files.ts'
import type { Lease } from '../../warehouse/ledgers/lease.ts'
import type { ArchiveAccess } from '../run/archive-access.ts'
import type { EngineDeps } from '../run/run-context.ts'
import type { FileProgress } from '../run/run-types.ts'
import type { ArchiveResult } from './result.ts'

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
export interface Work extends EngineDeps, ArchiveOptions {
  archive: ArchiveAccess
  result: ArchiveResult
  scope: FileScope
  /** What the store seems to have lost is not fetched: the store itself may be away. */
  leaveLost?: boolean
}
