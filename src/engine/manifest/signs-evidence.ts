import { wantsAnyFiles } from '../run/archive-access.ts'
import type { EvidenceAccess } from '../run/evidence-access.ts'
import type { EngineDeps } from '../run/run-context.ts'

/** What signs an account's evidence; undefined where the configuration wants none to be kept. */
export function signsEvidence({
  archive,
  evidence,
}: Pick<EngineDeps, 'archive' | 'evidence'>): EvidenceAccess | undefined {
  return archive !== undefined && wantsAnyFiles(archive) ? evidence?.() : undefined
}
