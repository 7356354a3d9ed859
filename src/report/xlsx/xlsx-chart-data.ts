import type { CellFormat, ChartBlock } from '../../core/define/report.ts'
import type { ChartRanges } from './chart-xml.ts'
import { headerTitles, tableName } from './table-xml.ts'
import { columnLetters } from './xlsx-rows.ts'
import type { Sheet } from './xlsx-sheet.ts'
import { bodyStyle, HEADING, headerStyle } from './xlsx-styles.ts'
import { excelValue } from './xlsx-value.ts'

export const CHART_DATA = 'Chart data'
/** The row of the first chart's title, below the sheet's title, subtitle and link. */
const FIRST_ROW = 4

/** The sheet with the numbers of all charts, so that each number can be traced and copied. */
export class ChartData {
  private readonly blocks: ChartBlock[] = []
  private nextRow = FIRST_ROW

  get count(): number {
    return this.blocks.length
  }

  /** Reserves the chart's cells on the sheet, which is written after the charts. */
  add(block: ChartBlock): ChartRanges {
    const { categories, series } = block.chart
    const header = this.nextRow + 1
    const column = (number: number): string => {
      const letters = columnLetters(number)
      return `'${CHART_DATA}'!$${letters}$${header + 1}:$${letters}$${header + categories.length}`
    }
    this.blocks.push(block)
    this.nextRow = header + categories.length + 2
    return {
      categories: column(1),
      series: series.map((_series, index) => ({
        name: `'${CHART_DATA}'!$${columnLetters(index + 2)}$${header}`,
        values: column(index + 2),
      })),
    }
  }

  widths(): number[] {
    const most = Math.max(0, ...this.blocks.map(({ chart }) => chart.series.length))
    return [30, ...Array.from({ length: most }, () => 24)]
  }

  async write(sheet: Sheet): Promise<void> {
    for (const { title, chart } of this.blocks) {
      const format: CellFormat = chart.valueFormat
      const titles = headerTitles(['Category', ...chart.series.map(({ name }) => name)].map(titled))
      sheet.begin()
      sheet.write([{ value: excelValue(title, 'text'), style: HEADING }])
      sheet.write(
        titles.map((name, at) => ({
          value: excelValue(name, 'text'),
          style: headerStyle(at === 0 ? 'text' : format),
        })),
      )
      const header = sheet.next - 1
      for (const [row, category] of chart.categories.entries()) {
        await sheet.put([
          { value: excelValue(category, 'text'), style: bodyStyle('text') },
          ...chart.series.map(({ values }) => ({
            value: excelValue(values[row] ?? null, format),
            style: bodyStyle(format),
          })),
        ])
      }
      const ref = `A${header}:${columnLetters(titles.length)}${sheet.next - 1}`
      if (chart.categories.length > 0)
        sheet.addTable({ name: tableName(CHART_DATA, title), titles, ref })
      sheet.skip()
    }
  }
}

function titled(title: string): { title: string } {
  return { title }
}
