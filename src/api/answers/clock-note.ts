import { ServiceError } from '../../core/errors.ts'

/**
 * Reports how far this machine's clock differs from the service's, by an error's `Date` header; undefined
 * below 30 s or without a date. A token signed by a wrong clock is refused.
 */
export function clockNote(error: unknown, nowMs: number): string | undefined {
  if (!(error instanceof ServiceError) || error.serverDateMs === undefined) return undefined
  const aheadMs = nowMs - error.serverDateMs
  if (Math.abs(aheadMs) < AGREES_MS) return undefined
  return `the clock of this machine is ${spanText(Math.abs(aheadMs))} ${
    aheadMs > 0 ? 'ahead of' : 'behind'
  } the service's`
}

function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map((part) => part.join(' '))
    .join(' ')
}

/** Smaller differences are not reported: services tolerate up to a minute, and `Date` has whole seconds. */
const AGREES_MS = 30_000
