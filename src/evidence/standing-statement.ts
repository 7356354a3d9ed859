import { lostSalts } from './match-versions.ts'
import type { ManifestRow } from './sql/manifest.ts'

/**
 * Evaluates one subject's statements and withdrawals, in order. Returns the valid statement, which is the
 * last one unless withdrawn, and the statements whose salt is missing although no withdrawal explains it.
 */
export function standing(said: readonly ManifestRow[]): {
  statement: ManifestRow | undefined
  lost: readonly ManifestRow[]
} {
  const last = said.findLastIndex(({ kind }) => kind === 'erasure')
  const statement = said.slice(last + 1).findLast(({ kind }) => kind === 'statement')
  return { statement, lost: lostSalts(said) }
}
