import type { Chart } from '../../core/define/chart.ts'
import type { ChartBlock } from '../../core/define/report.ts'
import { topOfScale } from '../files/chart-scale.ts'
import { INK, MUTED, RULE, seriesColour } from '../files/palette.ts'
import { xmlEscape } from './package-xml.ts'
import { cellText } from './xlsx-text.ts'

/** The cell ranges of a chart's data: one for the categories and one for each series. */
export interface ChartRanges {
  categories: string
  series: readonly { name: string; values: string }[]
}

/**
 * Writes the chart part. Its series refer to cells and also contain the values, so that the chart shows
 * before any recalculation. The elements are in the schema's order.
 */
export function chartXml(block: ChartBlock, ranges: ChartRanges): string {
  const { chart } = block
  const named = chart.series.length > 1
  const legend = tag(
    'legend',
    val('legendPos', 'b') + val('overlay', 0) + textLook({ size: 900, colour: MUTED }),
  )
  const inner =
    titleXml(block.title) +
    val('autoTitleDeleted', 0) +
    tag('plotArea', `<c:layout/>${plotXml(chart, ranges)}${categoryAxis()}${valueAxis(chart)}`) +
    (named ? legend : '') +
    val('plotVisOnly', 1) +
    val('dispBlanksAs', 'gap')
  const frame = tag('spPr', fill('FFFFFF') + line(RULE))
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"' +
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"' +
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">' +
    `${val('roundedCorners', 0)}${tag('chart', inner)}${frame}</c:chartSpace>`
  )
}

const CATEGORY_AXIS = 111_111_111
const VALUE_AXIS = 222_222_222
const GROUPING = { bar: 'clustered', 'stacked-bar': 'stacked', 'stacked-bar-100': 'percentStacked' }

function plotXml(chart: Chart, ranges: ChartRanges): string {
  const series = chart.series.map((_series, index) => seriesXml(chart, ranges, index)).join('')
  const axes = val('axId', CATEGORY_AXIS) + val('axId', VALUE_AXIS)
  if (chart.type === 'line') {
    const head = val('grouping', 'standard') + val('varyColors', 0)
    return tag('lineChart', head + series + val('marker', 1) + axes)
  }
  const head = val('barDir', 'col') + val('grouping', GROUPING[chart.type]) + val('varyColors', 0)
  const gap = val('gapWidth', chart.categories.length > 12 ? 35 : 70)
  const overlap = chart.type === 'bar' ? '' : val('overlap', 100)
  return tag('barChart', head + series + gap + overlap + axes)
}

function seriesXml(chart: Chart, ranges: ChartRanges, index: number): string {
  const series = chart.series[index]
  const range = ranges.series[index]
  if (series === undefined || range === undefined) return ''
  const colour = seriesColour(series, index)
  const name = reference('str', range.name, [series.name])
  const look =
    chart.type === 'line'
      ? tag('spPr', line(colour, 28_575)) + tag('marker', val('symbol', 'none'))
      : tag('spPr', fill(colour)) + val('invertIfNegative', 0)
  return tag(
    'ser',
    val('idx', index) +
      val('order', index) +
      tag('tx', name) +
      look +
      tag('cat', reference('str', ranges.categories, chart.categories)) +
      tag('val', reference('num', range.values, series.values)) +
      (chart.type === 'line' ? val('smooth', 0) : ''),
  )
}

function reference(
  kind: 'str' | 'num',
  cells: string,
  values: readonly (string | number | null)[],
): string {
  const format = kind === 'num' ? tag('formatCode', 'General') : ''
  const points = values.map((value, index) => {
    if (value === null) return ''
    return `<c:pt idx="${index}">${tag('v', xmlEscape(cellText(String(value))))}</c:pt>`
  })
  const cache = format + val('ptCount', values.length) + points.join('')
  return tag(`${kind}Ref`, tag('f', xmlEscape(cells)) + tag(`${kind}Cache`, cache))
}

function titleXml(title: string): string {
  const size = 'sz="1300" b="1"'
  const text = `<a:t>${xmlEscape(cellText(title))}</a:t>`
  const run = `<a:r><a:rPr lang="en-GB" ${size}>${fill(INK)}</a:rPr>${text}</a:r>`
  const paragraph = `<a:p><a:pPr><a:defRPr ${size}/></a:pPr>${run}</a:p>`
  const rich = tag('rich', `<a:bodyPr/><a:lstStyle/>${paragraph}`)
  return tag('title', tag('tx', rich) + val('overlay', 0))
}

function categoryAxis(): string {
  return tag(
    'catAx',
    val('axId', CATEGORY_AXIS) +
      tag('scaling', val('orientation', 'minMax')) +
      val('delete', 0) +
      val('axPos', 'b') +
      '<c:numFmt formatCode="General" sourceLinked="0"/>' +
      val('majorTickMark', 'none') +
      val('minorTickMark', 'none') +
      val('tickLblPos', 'low') +
      tag('spPr', line('9AA5B1')) +
      textLook({ size: 900, colour: MUTED }) +
      val('crossAx', VALUE_AXIS) +
      val('crosses', 'autoZero') +
      val('auto', 0) +
      val('lblAlgn', 'ctr') +
      val('lblOffset', 100) +
      val('noMultiLvlLbl', 1),
  )
}

function valueAxis(chart: Chart): string {
  const percent = chart.type === 'stacked-bar-100' || chart.valueFormat === 'percent'
  // By default programs draw shares up to 120 %.
  const highest = percent ? val('max', topOfScale(chart)) : ''
  return tag(
    'valAx',
    val('axId', VALUE_AXIS) +
      tag('scaling', val('orientation', 'minMax') + highest + val('min', 0)) +
      val('delete', 0) +
      val('axPos', 'l') +
      tag('majorGridlines', tag('spPr', line(RULE))) +
      `<c:numFmt formatCode="${percent ? '0%' : '#,##0'}" sourceLinked="0"/>` +
      val('majorTickMark', 'none') +
      val('minorTickMark', 'none') +
      val('tickLblPos', 'nextTo') +
      tag('spPr', '<a:ln><a:noFill/></a:ln>') +
      textLook({ size: 900, colour: MUTED }) +
      val('crossAx', CATEGORY_AXIS) +
      val('crosses', 'autoZero') +
      val('crossBetween', 'between'),
  )
}

function textLook({ size, colour }: { size: number; colour: string }): string {
  const run = `<a:defRPr sz="${size}">${fill(colour)}</a:defRPr>`
  const paragraph = `<a:p><a:pPr>${run}</a:pPr><a:endParaRPr lang="en-GB"/></a:p>`
  return tag('txPr', `<a:bodyPr/><a:lstStyle/>${paragraph}`)
}

function tag(name: string, content: string): string {
  return `<c:${name}>${content}</c:${name}>`
}

function val(name: string, value: string | number): string {
  return `<c:${name} val="${value}"/>`
}

function line(colour: string, width = 9_525): string {
  return `<a:ln w="${width}">${fill(colour)}</a:ln>`
}

function fill(colour: string): string {
  return `<a:solidFill><a:srgbClr val="${colour}"/></a:solidFill>`
}
