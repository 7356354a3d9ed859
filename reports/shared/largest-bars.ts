/** What a chart shows of many values. */
export interface Bars<Value> {
  shown: readonly Value[]
  /** What is added up as one bar. */
  others: readonly Value[]
  /** What no bar stands for: too much for one that would not be the tallest. */
  untold: number
}

/**
 * The largest ones, and the rest as one bar, which is never the tallest and never a single one: there are
 * more bars until it is not. Where the most bars that can be read are too few for that, the rest has none.
 * Values come with the largest first.
 */
export function largestBars<Value>(
  values: readonly Value[],
  sizeOf: (value: Value) => number,
): Bars<Value> {
  const tallest = values.length === 0 ? 0 : sizeOf(values[0] as Value)
  let rest = values.slice(FEW_BARS).reduce((sum, value) => sum + sizeOf(value), 0)
  for (let bars = FEW_BARS; bars <= MOST_BARS; bars++) {
    if (values.length <= bars + 1) return { shown: values, others: [], untold: 0 }
    if (rest <= tallest)
      return { shown: values.slice(0, bars), others: values.slice(bars), untold: 0 }
    rest -= sizeOf(values[bars] as Value)
  }
  return { shown: values.slice(0, MOST_BARS), others: [], untold: values.length - MOST_BARS }
}

/** What the title of such a chart adds, where bars are left out. */
export function untoldText({ shown, untold }: Bars<unknown>): string {
  return untold === 0 ? '' : `, the largest ${shown.length} of ${shown.length + untold}`
}

const FEW_BARS = 8
/** Each still has its name beside it. */
const MOST_BARS = 16
