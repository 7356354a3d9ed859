import { createHash } from 'node:crypto'
import { zonedInstant } from '../core/time/zone.ts'

/**
 * What a file's name ends with when it is of one person or board alone: it tells them apart without their
 * name. Nothing where nothing is given.
 */
export function scopeSuffix(scope: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(scope).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  const sorted = JSON.stringify(given.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return `-of-${createHash('sha256').update(sorted).digest('hex').slice(0, 8)}`
}

/** What it ends with when it is as of the past, or compared with it: it takes no other report's place. */
export function momentSuffix(
  { endedByMs, sinceMs }: { endedByMs?: number | undefined; sinceMs?: number | undefined },
  timeZone: string,
): string {
  const at = (epochMs: number): string =>
    zonedInstant(epochMs, timeZone).slice(0, 16).replaceAll(/[-:]/g, '')
  const asOf = endedByMs === undefined ? '' : `-as-of-${at(endedByMs)}`
  return sinceMs === undefined ? asOf : `${asOf}-since-${at(sinceMs)}`
}
