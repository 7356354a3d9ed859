export const DAY_MS = 86_400_000

/** `yyyy-mm-dd` of an epoch time, in UTC. */
export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10)
}

/** `yyyy-mm-dd hh:mm` of ISO text, in whichever zone that is: as people read it. */
export function toMinutes(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ')
}

/** The same of an epoch time, in UTC. */
export function utcMinutes(epochMs: number): string {
  return toMinutes(new Date(epochMs).toISOString())
}

/** ISO text without a fraction, as the service's own date-times. */
export function utcInstant(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`
}
