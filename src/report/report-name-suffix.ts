import { createHash } from 'node:crypto'
import { zonedInstant } from '../core/time/zone.ts'

/**
 * Returns the suffix of a file name for a report on one person or board. It distinguishes such reports
 * without naming anybody. Empty without a filter.
 */
export function scopeSuffix(scope: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(scope).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  const sorted = JSON.stringify(given.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return `-of-${createHash('sha256').update(sorted).digest('hex').slice(0, 8)}`
}

/**
 * Returns the suffix of a file name for a report as of the past or with a comparison, so that it replaces no
 * other report.
 */
export function momentSuffix(
  { endedByMs, sinceMs }: { endedByMs?: number | undefined; sinceMs?: number | undefined },
  timeZone: string,
): string {
  const at = (epochMs: number): string =>
    zonedInstant(epochMs, timeZone).slice(0, 16).replaceAll(/[-:]/g, '')
  const asOf = endedByMs === undefined ? '' : `-as-of-${at(endedByMs)}`
  return sinceMs === undefined ? asOf : `${asOf}-since-${at(sinceMs)}`
}
