import type { Sync } from './stream.ts'

/**
 * How many days back a windowed stream is read: up to the service's bound; without one, the account's
 * `historyDays` or else the stream's own limit.
 */
export function historyLimitOf(
  sync: Extract<Sync, { kind: 'windows' }>,
  historyDays: number | undefined,
): number {
  return sync.unbounded === true ? (historyDays ?? sync.historyLimitDays) : sync.historyLimitDays
}
