import { leafHash, rootFromProof } from '../../evidence/log/merkle.ts'
import type { ManifestRow } from '../../evidence/sql/manifest.ts'
import { proofsOf } from '../../evidence/sql/proofs-of.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Exporting } from './exporting.ts'

/** The path of an entry in the tree of the exported checkpoint, in base64. */
export type LogPath = (entry: ManifestRow) => Promise<string[] | undefined>

/**
 * Makes each path from the few tiles that it needs. Returns undefined if the tiles do not yield a path, and
 * adds one problem for all such paths.
 */
export function logPaths(tx: Transaction, { account, log, problems }: Exporting): LogPath {
  const { size, root } = log
  const proofs = proofsOf(tx, account)
  let told = false
  return async ({ seq, line }) => {
    const index = seq - 1
    const path = await proofs.inclusion(index, size)
    const found = path && rootFromProof(leafHash(line), { index, size }, path)
    if (found?.equals(root) === true) return path?.map((hash) => hash.toString('base64'))
    if (!told)
      problems.push(
        `the stored tree does not prove that entry ${seq} is part of the newest checkpoint: run callsheet ` +
          'verify to see what differs',
      )
    told = true
    return undefined
  }
}
