import type { FileSource } from '../../core/file-source.ts'
import type { FileScope } from '../../warehouse/files.ts'
import type { Lease } from '../../warehouse/lease.ts'
import type { EngineDeps } from '../run-context.ts'
import type { FileProgress } from '../run-result.ts'
import type { ArchiveAccess } from './access.ts'
import type { ArchiveResult } from './result.ts'

export interface ArchiveOptions {
  account: string
  lease: Lease
  runId: number
  source: FileSource
  signal: AbortSignal
  /** A look before other work: only what cannot wait for it. */
  beforeOthers?: boolean
  onProgress?: ((progress: FileProgress) => void) | undefined
}

/** One archiving while it goes on. */
export interface Work extends EngineDeps, ArchiveOptions {
  archive: ArchiveAccess
  result: ArchiveResult
  scope: FileScope
}
