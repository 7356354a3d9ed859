import ExcelJS from 'exceljs'

/** A workbook that was read back, with its tables by sheet and header. */
export interface Workbook {
  /** The rows from the header that begins with `header` to the next empty row, also on a separate sheet. */
  rows(sheet: string, header: string): unknown[][]
  /** Those rows as objects by the titles of the header. */
  records(sheet: string, header: string): Record<string, unknown>[]
  /** The data of a chart, a row for each category. */
  chart(title: string): unknown[][]
  /** The texts in a sheet's first column before its contents, except for the verdict. */
  notes(sheet: string): string[]
  /** The first line of the first sheet: whether the report is complete, and its data. */
  verdict: string
  /** The value beside a label. */
  figure(sheet: string, label: string): unknown
  /** All cells of a sheet below its title and subtitle. */
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
    // A long table has a sheet of its own, such as "Files, not stored".
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

/** The seconds of a duration's cell, which is a fraction of a day and is read as a date near 1900. */
export function secondsOf(cell: unknown): number {
  return cell instanceof Date
    ? Math.round((cell.getTime() - Date.UTC(1899, 11, 30)) / 1000)
    : Number.NaN
}
