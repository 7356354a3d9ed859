import type { Sync } from './stream.ts'

/**
 * How many days back a windowed stream is read: as far as the service answers, or, where it names no bound,
 * as far as the account wants (`historyDays`) or else as the stream says.
 */
export function historyLimitOf(
  sync: Extract<Sync, { kind: 'windows' }>,
  historyDays: number | undefined,
): number {
  return sync.unbounded === true ? (historyDays ?? sync.historyLimitDays) : sync.historyLimitDays
}
