import type { Span } from './spans.ts'
import { DAY_MS } from './time.ts'

/**
 * The span of a parent's records, by the parent's own instants. If only one is known, the span is as long as
 * a request may be, which is longer than any parent. Undefined if both are missing.
 */
export function widestSpan(from: string | null, to: string | null): Span | undefined {
  const [fromMs, toMs] = [from, to].map((at) => (at === null ? undefined : Date.parse(at)))
  if (fromMs === undefined) return toMs === undefined ? undefined : { fromMs: toMs - MOST_MS, toMs }
  const mostMs = fromMs + MOST_MS
  return { fromMs, toMs: toMs === undefined || toMs < fromMs ? mostMs : Math.min(toMs, mostMs) }
}

/** With a day more at each end, four weeks: the service silently narrows ranges longer than a month. */
const MOST_MS = 26 * DAY_MS
