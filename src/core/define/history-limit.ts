import type { Sync } from './stream.ts'

/**
 * How many days back a windowed stream is read: the stream's limit, or the account's `historyDays` if it is
 * set and the service has no bound.
 */
export function historyLimitOf(
  sync: Extract<Sync, { kind: 'windows' }>,
  historyDays: number | undefined,
): number {
  return sync.unbounded === true ? (historyDays ?? sync.historyLimitDays) : sync.historyLimitDays
}
