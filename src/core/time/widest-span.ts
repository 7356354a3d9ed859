import type { Span } from './spans.ts'
import { DAY_MS } from './time.ts'

/**
 * Between which instants the records of a parent lie, as it tells: from one alone as far as a request may
 * reach, which is longer than any parent lasts. Undefined where it tells neither.
 */
export function widestSpan(from: string | null, to: string | null): Span | undefined {
  const [fromMs, toMs] = [from, to].map((at) => (at === null ? undefined : Date.parse(at)))
  if (fromMs === undefined) return toMs === undefined ? undefined : { fromMs: toMs - MOST_MS, toMs }
  const mostMs = fromMs + MOST_MS
  return { fromMs, toMs: toMs === undefined || toMs < fromMs ? mostMs : Math.min(toMs, mostMs) }
}

/** With a day more at both ends four weeks: the service narrows what is longer than a month in silence. */
const MOST_MS = 26 * DAY_MS
