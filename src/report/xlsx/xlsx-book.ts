import type { ChartBlock, ReportDocument } from '../../core/define/report.ts'
import { chartXml } from './chart-xml.ts'
import { CHART_DATA, ChartData } from './xlsx-chart-data.ts'
import { LISTS, OfferedLists } from './xlsx-lists.ts'
import type { PackageWriter } from './xlsx-package.ts'
import type { WorkbookPlan } from './xlsx-plan.ts'

/** The state that the sheets of a workbook share while it is written. */
export interface Book {
  document: ReportDocument
  writer: PackageWriter
  maxRows: number
  plan: WorkbookPlan
  /** The names of all sheets, including continued ones. */
  names: string[]
  chartData: ChartData
  lists: OfferedLists
  /** Makes the chart's part and returns its number. */
  addChart(block: ChartBlock): number
  drawings: number
}

export function newBook(
  plan: WorkbookPlan,
  { document, writer, maxRows }: Pick<Book, 'document' | 'writer' | 'maxRows'>,
): Book {
  const chartData = new ChartData()
  return {
    document,
    writer,
    maxRows,
    plan,
    names: [CHART_DATA, LISTS, ...plan.sheets.map(({ name }) => name)],
    chartData,
    lists: new OfferedLists(),
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
