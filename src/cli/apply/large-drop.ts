import type { Drop } from '../../core/declare/desired.ts'
import type { EngineDeps } from '../../engine/run/run-context.ts'

/** By the measure of a sync, and all that there was in any case: a sheet is emptied by a slip as well. */
export function isLargeDrop(
  { deleted, of }: Drop,
  { share, rows }: Pick<EngineDeps['deletionGuard'], 'share' | 'rows'>,
): boolean {
  return deleted > 0 && (deleted === of || (deleted > rows && deleted > share * of))
}
