import type { Chart } from '../../core/define/chart.ts'
import type { ChartBlock } from '../../core/define/report.ts'
import { formatCell } from '../files/browser/format-cell.js'
import { niceUnit, topOfScale } from '../files/chart-scale.ts'
import { seriesVariable } from './colours.ts'
import { escapeHtml } from './escape-html.ts'
import { type LabelPlan, labelSvg, planLabels } from './svg-labels.ts'

const MARGIN = { top: 12, right: 12, left: 54 }
/**
 * Narrow screens show `small`: the others would need scrolling there, or shrink to unreadable type. Charts
 * for paper are low, so that a summary fits on a page, and as wide as printed, so that type is not shrunk.
 */
const SIZES = {
  full: { width: 920, height: 300, most: 31 },
  half: { width: 450, height: 300, most: 12 },
  small: { width: 350, height: 300, most: 12 },
  'paper-full': { width: 676, height: 200, most: 31 },
  'paper-half': { width: 318, height: 180, most: 12 },
}

interface Plot {
  chart: Chart
  width: number
  height: number
  /** The width of a category on the x-axis. */
  step: number
  labels: LabelPlan
  top: number
  x(index: number): number
  y(value: number): number
}

/** Draws a chart for the page's width and again for a phone's; styles show one. On paper, draws only one. */
export function svgChart(block: ChartBlock, medium: 'screen' | 'paper'): string {
  const { width = 'full', chart } = block
  const wide = drawn(block, medium === 'paper' ? `paper-${width}` : width)
  return wide + (medium === 'paper' ? '' : drawn(block, 'small')) + legend(chart)
}

/** Draws a chart as SVG that scales with the page. Screen readers read its title and a summary. */
function drawn(block: ChartBlock, size: keyof typeof SIZES): string {
  const plot = layOut(block.chart, size)
  const marks = block.chart.type === 'line' ? curves(plot) : bars(plot)
  const label = `${block.title}. ${summary(block.chart)}`
  return (
    `<svg class="${size}" viewBox="0 0 ${plot.width} ${plot.height}" role="img" ` +
    `aria-label="${escapeHtml(label)}">${grid(plot)}${marks}${categoryLabels(plot)}</svg>`
  )
}

function layOut(chart: Chart, size: keyof typeof SIZES): Plot {
  const { width, height, most } = SIZES[size]
  const top = topOfScale(chart)
  const step = (width - MARGIN.left - MARGIN.right) / Math.max(1, chart.categories.length)
  const labels = planLabels(chart.categories, { step, most })
  const high = height - MARGIN.top - labels.height
  return {
    chart,
    width,
    height,
    step,
    labels,
    top,
    x: (index) => MARGIN.left + step * index,
    y: (value) => MARGIN.top + high * (1 - value / top),
  }
}

function grid({ chart, width, top, y }: Plot): string {
  const percent = chart.valueFormat === 'percent' || chart.type === 'stacked-bar-100'
  const unit = chart.type === 'stacked-bar-100' ? 0.25 : niceUnit(top / 4, !percent)
  const parts: string[] = []
  for (let tick = 0; tick <= top + 1e-9; tick += unit) {
    const at = place(y(tick))
    const text = percent ? `${Number((tick * 100).toFixed(2))} %` : formatCell(tick, 'integer')
    const ends = `x1="${MARGIN.left}" x2="${width - MARGIN.right}" y1="${at}" y2="${at}"`
    const label = `x="${MARGIN.left - 8}" y="${at}" dy="0.32em" text-anchor="end"`
    parts.push(
      `<line ${ends} stroke="var(${tick === 0 ? '--axis' : '--rule'})"/>` +
        `<text ${label} fill="var(--faint)">${text}</text>`,
    )
  }
  return parts.join('')
}

function bars(plot: Plot): string {
  const { chart, step } = plot
  const stacked = chart.type !== 'bar'
  const wide = step * (chart.categories.length > 12 ? 0.74 : 0.58)
  const single = stacked ? wide : wide / Math.max(1, chart.series.length)
  const parts: string[] = []
  for (const [at, category] of chart.categories.entries()) {
    const total = chart.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)
    let base = 0
    for (const [index, series] of chart.series.entries()) {
      const value = series.values[at] ?? 0
      const size = chart.type === 'stacked-bar-100' ? (total === 0 ? 0 : value / total) : value
      const left = plot.x(at) + (step - wide) / 2 + (stacked ? 0 : single * index)
      const high = plot.y(base + size)
      const height = plot.y(base) - high
      if (stacked) base += size
      if (height <= 0) continue
      const hint = `${category}, ${series.name}: ${formatCell(value, chart.valueFormat)}`
      parts.push(
        `<rect x="${place(left)}" y="${place(high)}" width="${place(single)}" height="${place(height)}" ` +
          `fill="${seriesVariable(series, index)}"><title>${escapeHtml(hint)}</title></rect>`,
      )
    }
  }
  return parts.join('')
}

function curves(plot: Plot): string {
  return plot.chart.series
    .map((series, index) => {
      let path = ''
      let pen = 'M'
      for (const [at, value] of series.values.entries()) {
        if (value === null) pen = 'M'
        else {
          path += `${pen}${place(plot.x(at) + plot.step / 2)} ${place(plot.y(value))}`
          pen = 'L'
        }
      }
      const colour = seriesVariable(series, index)
      return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2.5" stroke-linejoin="round"/>`
    })
    .join('')
}

function categoryLabels({ chart, labels, step, x, y }: Plot): string {
  return chart.categories
    .map((category, index) =>
      index % labels.every === 0
        ? labelSvg(category, labels, { x: place(x(index) + step / 2), y: place(y(0)) })
        : '',
    )
    .join('')
}

function legend(chart: Chart): string {
  if (chart.series.length < 2) return ''
  const items = chart.series.map(
    (series, index) =>
      `<li><span style="background:${seriesVariable(series, index)}"></span>${escapeHtml(series.name)}</li>`,
  )
  return `<ul class="legend" aria-hidden="true">${items.join('')}</ul>`
}

/** Describes the chart in words, for people who cannot see it. */
function summary(chart: Chart): string {
  return chart.series
    .map(({ name, values }) => {
      const known = values.filter((value) => value !== null)
      const most = Math.max(...known)
      const where = chart.categories[values.indexOf(most)] ?? ''
      return known.length === 0
        ? `${name}: no values`
        : `${name}: highest ${formatCell(most, chart.valueFormat)} at ${where}`
    })
    .join('; ')
}

/** Draws values as bars without axes; nothing if fewer than two are known, or none is positive. */
export function sparkline(values: readonly (number | null)[]): string {
  const top = Math.max(...values.map((value) => value ?? 0))
  const known = values.flatMap((value, at) => (value === null ? [] : [{ value, at }]))
  if (known.length < 2 || top <= 0) return ''
  const rects = known.map(({ value, at }) => {
    const high = place((20 * value) / top)
    return `<rect x="${at * 14}" y="${20 - high}" width="11" height="${high}"/>`
  })
  const width = values.length * 14
  const look = `viewBox="0 0 ${width} 20" width="${width}" aria-hidden="true"`
  return `<dd class="trend"><svg ${look}>${rects.join('')}</svg></dd>`
}

function place(px: number): number {
  return Math.round(px * 10) / 10
}
