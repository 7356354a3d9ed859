import type { Sync } from './stream.ts'

/**
 * How many days back a windowed stream is read: to the service's bound, or if there is none, as configured
 * for the account (`historyDays`) or else as declared by the stream.
 */
export function historyLimitOf(
  sync: Extract<Sync, { kind: 'windows' }>,
  historyDays: number | undefined,
): number {
  return sync.unbounded === true ? (historyDays ?? sync.historyLimitDays) : sync.historyLimitDays
}
