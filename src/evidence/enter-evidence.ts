import type { FileStore } from '../store/store.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import type { DatabaseDeps } from '../warehouse/ledger/retry-database.ts'
import { appendEvidence } from './append-evidence.ts'
import type { AppendedEvidence, EvidenceAccess } from './log/evidence-access.ts'

export interface EvidenceOptions {
  account: string
  lease: Lease
  signal: AbortSignal
}

/** Appends to the evidence log in an open run (`appendEvidence`). Needs an archive and a key. */
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
