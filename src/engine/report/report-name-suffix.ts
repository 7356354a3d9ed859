import { createHash } from 'node:crypto'

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
