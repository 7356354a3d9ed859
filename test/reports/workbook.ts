import ExcelJS from 'exceljs'

/** A workbook as read back, by sheet and by the header of a table. */
export interface Workbook {
  /** The rows under the header that begins with `header`, to the next empty row, on whichever sheet. */
  rows(sheet: string, header: string): unknown[][]
  /** The same by the header's words. */
  records(sheet: string, header: string): Record<string, unknown>[]
  /** What a chart shows, a row for each category. */
  chart(title: string): unknown[][]
  /** What a sheet says in its first column before the first table, but for the report's first line. */
  notes(sheet: string): string[]
  /** The line with which the first sheet begins: whether it is whole, and from what. */
  verdict: string
  /** What stands beside a label. */
  figure(sheet: string, label: string): unknown
  /** All cells of a sheet below its title and the line under it. */
  cells(sheet: string): unknown[][]
  /** The line under a sheet's title. */
  subtitle(sheet: string): unknown
  sheets: string[]
}

export async function readWorkbook(path: string): Promise<Workbook> {
  const book = new ExcelJS.Workbook()
  await book.xlsx.readFile(path)
  const valuesOf = (sheet: string): unknown[][] => {
    const found = book.getWorksheet(sheet)
    if (found === undefined) throw new Error(`There is no sheet ${sheet}`)
    const rows: unknown[][] = []
    found.eachRow({ includeEmpty: true }, (row) => rows.push((row.values as unknown[]).slice(1)))
    return rows
  }
  const from = (rows: unknown[][], at: number): unknown[][] => {
    const end = rows.findIndex(
      (row, index) => index > at && row.every((cell) => (cell ?? null) === null),
    )
    return rows.slice(at, end < 0 ? undefined : end)
  }
  const contentsOf = (sheet: string): number | undefined => {
    const at = valuesOf(sheet).findIndex(([first], row) => row > 2 && first === 'Contents')
    return at < 0 ? undefined : at
  }
  const table = (sheet: string, header: string): unknown[][] => {
    // A long table of several stands on a sheet of its own: "Files, not stored".
    const others = book.worksheets.map(({ name }) => name).filter((name) => name.includes(sheet))
    for (const name of new Set([sheet, ...others])) {
      const rows = valuesOf(name)
      const at = rows.findIndex((row, line) => row[0] === header && line > 1 && row.length > 2)
      if (at >= 0) return from(rows, at)
    }
    throw new Error(`The sheet ${sheet} has no table that begins with ${header}`)
  }
  return {
    sheets: book.worksheets.map(({ name }) => name),
    figure: (sheet, label) => valuesOf(sheet).find(([first]) => first === label)?.[1],
    cells: (sheet) => valuesOf(sheet).slice(2),
    subtitle: (sheet) => valuesOf(sheet)[1]?.[0],
    rows: (sheet, header) => table(sheet, header).slice(1),
    records(sheet, header) {
      const [names = [], ...rows] = table(sheet, header)
      return rows.map((row) =>
        Object.fromEntries(names.map((name, at) => [String(name), row[at] ?? null])),
      )
    },
    chart(title) {
      const rows = valuesOf('Chart data')
      const at = rows.findIndex(([first]) => first === title)
      if (at < 0) throw new Error(`There is no chart ${title}`)
      return from(rows, at).slice(2)
    },
    verdict: String(valuesOf(book.worksheets[0]?.name ?? '')[VERDICT_ROW - 1]?.[0]),
    notes: (sheet) =>
      valuesOf(sheet)
        .slice(sheet === book.worksheets[0]?.name ? VERDICT_ROW : 2, contentsOf(sheet))
        .map(([first]) => (typeof first === 'string' ? first : ''))
        .filter((text) => text.length > 30),
  }
}

const VERDICT_ROW = 4

/** A duration's cell: a part of a day, which reads as a date near the spreadsheet's epoch. */
export function secondsOf(cell: unknown): number {
  return cell instanceof Date
    ? Math.round((cell.getTime() - Date.UTC(1899, 11, 30)) / 1000)
    : Number.NaN
}
