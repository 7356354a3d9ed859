import type { PruneDeps } from '../engine/prune-archive.ts'

/** Until the manifest of evidence is wired in, the ledger of files alone tells of a removal. */
export const recordRemovals: PruneDeps['recordRemovals'] = async () => {}
