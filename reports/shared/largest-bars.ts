/** The bars of a chart of many values. */
export interface ChartBars<Value> {
  shown: readonly Value[]
  /** Values added up as one bar. */
  others: readonly Value[]
  /** Values without a bar, because a bar of their sum would be the tallest. */
  omitted: number
}

/**
 * Returns the largest values, and one bar for the rest that is never the tallest and never a single value:
 * bars are added until that is true. If this takes more bars than a reader can tell apart, the rest has no
 * bar. Values must come largest first.
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

/** Returns the addition to a chart's title if bars are left out. */
export function omittedText({ shown, omitted }: ChartBars<unknown>): string {
  return omitted === 0 ? '' : `, the largest ${shown.length} of ${shown.length + omitted}`
}

const FEW_BARS = 8
/** With more bars, not every name would fit beside its bar. */
const MOST_BARS = 16
