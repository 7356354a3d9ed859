import type { Chart } from '../../core/define/chart.ts'

/** Returns the upper end of a chart's scale. For shares at most 100 %, even if rounded sums are larger. */
export function topOfScale(chart: Chart): number {
  const top = roundTop(chart)
  return chart.valueFormat === 'percent' ? Math.min(1, top) : top
}

function roundTop(chart: Chart): number {
  if (chart.type === 'stacked-bar-100') return 1
  const heights = chart.categories.map((_category, index) => {
    const stack = chart.series.map(({ values }) => values[index] ?? 0)
    return chart.type === 'stacked-bar' ? stack.reduce((a, b) => a + b, 0) : Math.max(...stack, 0)
  })
  const highest = Math.max(...heights, 0)
  if (highest === 0) return chart.valueFormat === 'percent' ? 0.1 : 1
  const unit = niceUnit(highest / 4, chart.valueFormat === 'integer')
  return Math.ceil(highest / unit - 1e-9) * unit
}

/** Returns the smallest of 1, 2, 2.5 and 5 times a power of ten from `atLeast` on; `whole` rounds it up. */
export function niceUnit(atLeast: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(atLeast))
  const unit = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= atLeast - 1e-12)
  return whole ? Math.max(1, Math.ceil(unit ?? atLeast)) : (unit ?? atLeast)
}
