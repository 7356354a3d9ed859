import type { Curve } from '../seed-data/calendar.ts'
import type { Overlay } from '../seed-data/state.ts'
import { type Listing, rangeListing } from './listing.ts'

export interface RowSpan {
  fromMs: number
  untilMs: number
}

/** Lists the rows that start in a span, earliest first: a range of the curve, changed by the overlay. */
export function rowsBetween(options: {
  curve: Curve
  overlay: Overlay<unknown>
  startOf(index: number): number
  span: RowSpan
}): Listing {
  const { curve, overlay, startOf, span } = options
  const extras: { index: number; before: number; startMs: number }[] = []
  for (let index = curve.rows; index < curve.rows + overlay.added; index++) {
    const startMs = startOf(index)
    if (startMs < span.fromMs || startMs >= span.untilMs || overlay.gone.has(index)) continue
    extras.push({ index, before: curve.firstAtOrAfter(startMs), startMs })
  }
  extras.sort((a, b) => a.startMs - b.startMs)
  const from = curve.firstAtOrAfter(span.fromMs)
  const until = curve.firstAtOrAfter(span.untilMs)
  return rangeListing({ from, until, without: [...overlay.gone], extras })
}
