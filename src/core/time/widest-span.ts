import type { Window } from './spans.ts'
import { DAY_MS } from './time.ts'

/**
 * The span of a parent's records, by the parent's own instants, at most `MOST_MS` long. If only one instant
 * is known, the span has this length, since no parent lasts longer. Undefined if both are missing.
 */
export function widestSpan(from: string | null, to: string | null): Window | undefined {
  const [fromMs, toMs] = [from, to].map((at) => (at === null ? undefined : Date.parse(at)))
  if (fromMs === undefined) return toMs === undefined ? undefined : { fromMs: toMs - MOST_MS, toMs }
  const mostMs = fromMs + MOST_MS
  return { fromMs, toMs: toMs === undefined || toMs < fromMs ? mostMs : Math.min(toMs, mostMs) }
}

/** Four weeks less a day for each end: the service silently narrows ranges longer than a month. */
const MOST_MS = 26 * DAY_MS
