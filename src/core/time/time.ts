export const DAY_MS = 86_400_000

/** An epoch time as ISO text with milliseconds, in UTC. */
export function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** `yyyy-mm-dd` of an epoch time, in UTC. */
export function utcDay(epochMs: number): string {
  return iso(epochMs).slice(0, 10)
}

/** ISO text, in its own zone, as `yyyy-mm-dd hh:mm` for people. */
export function toMinutes(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ')
}

/** `yyyy-mm-dd hh:mm` of an epoch time, in UTC. */
export function utcMinutes(epochMs: number): string {
  return toMinutes(iso(epochMs))
}

/** ISO text without a fraction, like the service's own date-times. */
export function utcInstant(epochMs: number): string {
  return `${iso(epochMs).slice(0, 19)}Z`
}
