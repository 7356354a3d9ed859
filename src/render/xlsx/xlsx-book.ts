import type { ChartBlock, ReportDocument } from '../../core/declare/report.ts'
import { chartXml } from './chart-xml.ts'
import { BodyRows } from './xlsx-body.ts'
import { CHART_DATA, ChartData } from './xlsx-chart-data.ts'
import type { PackageWriter } from './xlsx-package.ts'
import { sheetNames } from './xlsx-sheet-names.ts'

/** What the sheets of one workbook share while it is written. */
export interface Book {
  document: ReportDocument
  writer: PackageWriter
  body: BodyRows
  maxRows: number
  /** The sheets' names: one for each section, then the chart data's, then those of continuations. */
  names: string[]
  chartData: ChartData
  /** Makes the chart's part and answers its number. */
  addChart(block: ChartBlock): number
  drawings: number
}

export function newBook(document: ReportDocument, writer: PackageWriter, maxRows: number): Book {
  const chartData = new ChartData()
  return {
    document,
    writer,
    body: new BodyRows(writer),
    maxRows,
    names: sheetNames([...document.sections.map(({ title }) => title), CHART_DATA]),
    chartData,
    drawings: 0,
    addChart(block) {
      const ranges = chartData.add(block)
      writer.addPart({
        name: `xl/charts/chart${chartData.count}.xml`,
        xml: chartXml(block, ranges),
        contentType: 'application/vnd.openxmlformats-officedocument.drawingml.chart+xml',
      })
      return chartData.count
    },
  }
}
