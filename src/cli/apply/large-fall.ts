import type { Fall } from '../../core/declare/desired.ts'
import type { EngineDeps } from '../../engine/run/run-context.ts'

/** By the measure of a sync, and all that there was in any case: a sheet is emptied by a slip as well. */
export function isLargeFall(
  { gone, of }: Fall,
  { share, rows }: Pick<EngineDeps['goneLimit'], 'share' | 'rows'>,
): boolean {
  return gone > 0 && (gone === of || (gone > rows && gone > share * of))
}
