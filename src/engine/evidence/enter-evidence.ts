import type { FileStore } from '../../archive/store.ts'
import type { Lease } from '../../warehouse/ledgers/lease.ts'
import type { AppendedEvidence, EvidenceAccess } from '../run/evidence-access.ts'
import type { DatabaseDeps } from '../run/retry-database.ts'
import { appendEvidence } from './append-evidence.ts'

export interface EvidenceOptions {
  account: string
  lease: Lease
  signal: AbortSignal
}

/** Records and signs within an open run what was written and has no entry yet. */
export async function enterEvidence(
  deps: DatabaseDeps & {
    archive?: { store(): Promise<FileStore> }
    evidence?: () => EvidenceAccess
  },
  options: EvidenceOptions,
): Promise<AppendedEvidence> {
  const { archive, evidence } = deps
  if (archive === undefined || evidence === undefined)
    throw new Error('Evidence is entered where an archive and a key are given')
  const store = await archive.store()
  return await appendEvidence(deps, { ...options, ...evidence(), store })
}
