/** The bars of a chart of many values. */
export interface ChartBars<Value> {
  shown: readonly Value[]
  /** The values that are added up in one bar. */
  others: readonly Value[]
  /** The number of values without a bar, because a bar of their sum would be the tallest. */
  omitted: number
}

/**
 * Returns the largest values, and one bar for the rest. That bar must not be the tallest and must represent
 * several values, so bars are added until both hold. If this takes more than `MOST_BARS`, the rest has no
 * bar. The values must be sorted, largest first.
 */
export function largestBars<Value>(
  values: readonly Value[],
  sizeOf: (value: Value) => number,
): ChartBars<Value> {
  const tallest = values.length === 0 ? 0 : sizeOf(values[0] as Value)
  let rest = values.slice(FEW_BARS).reduce((sum, value) => sum + sizeOf(value), 0)
  for (let bars = FEW_BARS; bars <= MOST_BARS; bars++) {
    if (values.length <= bars + 1) return { shown: values, others: [], omitted: 0 }
    if (rest <= tallest)
      return { shown: values.slice(0, bars), others: values.slice(bars), omitted: 0 }
    rest -= sizeOf(values[bars] as Value)
  }
  return { shown: values.slice(0, MOST_BARS), others: [], omitted: values.length - MOST_BARS }
}

/** Returns an addition to a chart's title if values have no bar. */
export function omittedText({ shown, omitted }: ChartBars<unknown>): string {
  return omitted === 0 ? '' : `, the largest ${shown.length} of ${shown.length + omitted}`
}

const FEW_BARS = 8
/** The maximum number of bars: with more, not every name would fit beside its bar. */
const MOST_BARS = 16
