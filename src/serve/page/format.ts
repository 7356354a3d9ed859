import { html } from 'hono/html'
import { utcMinutes } from '../../core/time/time.ts'
import { duration } from '../../core/values/quantities.ts'
import type { Html } from './layout.ts'

/** Formats an instant in UTC: `2026-07-08 02:30`. */
export function instant(at: string | number): Html {
  const ms = typeof at === 'number' ? at : Date.parse(at)
  return html`<time datetime="${new Date(ms).toISOString()}">${utcMinutes(ms)}</time>`
}

/** Formats an instant relative to another: `2026-07-08 02:30 (in 3 h)`. */
export function instantFrom(at: string | number, nowMs: number): Html {
  const ms = typeof at === 'number' ? at : Date.parse(at)
  const apart = duration(Math.abs(ms - nowMs))
  return html`${instant(ms)} (${ms > nowMs ? `in ${apart}` : `${apart} ago`})`
}

export function accountPath(account: string): string {
  return `/accounts/${encodeURIComponent(account)}`
}

/** Names the account in the path, because two accounts may have runs with the same number. */
export function runPath(account: string, id: number): string {
  return `${accountPath(account)}/runs/${id}`
}
