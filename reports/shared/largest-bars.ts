/** The bars of a chart of many values. */
export interface ChartBars<Value> {
  shown: readonly Value[]
  /** Values added up as one bar. */
  others: readonly Value[]
  /** Values without a bar, because their sum would be the tallest bar. */
  omitted: number
}

/**
 * Takes the largest values and one bar for the rest, which is never the tallest bar and never a single value:
 * bars are added until that is true. If the maximum number of readable bars is not enough, the rest has no
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

/** The addition to a chart's title if bars are left out. */
export function omittedText({ shown, omitted }: ChartBars<unknown>): string {
  return omitted === 0 ? '' : `, the largest ${shown.length} of ${shown.length + omitted}`
}

const FEW_BARS = 8
/** Each bar still has its name beside it. */
const MOST_BARS = 16
