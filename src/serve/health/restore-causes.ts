import { utcMinutes } from '../../core/time/time.ts'
import type { HealthFacts } from './facts.ts'
import type { FoundCause } from './order.ts'

/** A database that was restored from a backup, or replaced: no work begins before a person has acted. */
export function judgeRestored({ restored }: Pick<HealthFacts, 'restored'>): FoundCause[] {
  if (restored === undefined) return []
  const { workedMs, knownMs } = restored
  const known = knownMs === undefined ? 'nothing' : `nothing after ${utcMinutes(knownMs)} UTC`
  return [
    {
      code: 'database_restored',
      subject: 'database',
      level: 'red',
      sentence:
        `The database was restored from a backup, or replaced: it knows of ${known}, ` +
        `and this machine of work at ${utcMinutes(workedMs)} UTC.`,
      todo: 'Run callsheet restored --dry-run to see what is lost, then callsheet restored to resume.',
      // It happened at some time after this, and nothing is known of the time between.
      sinceMs: workedMs,
    },
  ]
}
