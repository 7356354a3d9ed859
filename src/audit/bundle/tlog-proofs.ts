import { readCheckpoint } from '../../evidence/log/checkpoint.ts'
import { leafHash } from '../../evidence/log/merkle.ts'
import { PathRoots } from '../../evidence/log/path-roots.ts'
import type { ManifestRow } from '../../evidence/sql/manifest.ts'
import { proofsOf } from '../../evidence/sql/proofs-of.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Exporting } from './exporting.ts'

/** The path of an entry in the tree of the newest checkpoint, in base64. */
export type TlogPath = (entry: ManifestRow) => Promise<string[] | undefined>

/**
 * Makes the paths from the tiles, of which few are read. A path that the tiles do not give is left out, and
 * the bundle says once that they are not as they should be. Undefined where the newest head has no
 * checkpoint.
 */
export function tlogPaths(tx: Transaction, exporting: Exporting): TlogPath | undefined {
  const { account, heads, problems } = exporting
  const checkpoint = readCheckpoint(heads.at(-1)?.checkpoint ?? '')
  if (checkpoint === undefined) return undefined
  const { size, root } = checkpoint
  const proofs = proofsOf(tx, account)
  const roots = new PathRoots('base64')
  let told = false
  return async ({ seq, line }) => {
    const index = seq - 1
    const path = (await proofs.inclusion(index, size))?.map((hash) => hash.toString('base64'))
    const found = path && roots.root(leafHash(line), { index, size }, path)
    if (found?.equals(root) === true) return path
    if (!told)
      problems.push(
        `the tiles of the log do not prove entry ${seq} under the newest checkpoint: callsheet verify ` +
          'says what differs',
      )
    told = true
    return undefined
  }
}
