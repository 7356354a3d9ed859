import ExcelJS from 'exceljs'
import { expect } from 'vitest'

/** Changes cells by the titles of their columns. */
export async function edit(
  file: string,
  sheet: string,
  change: (cells: {
    get(title: string): string
    set(title: string, text: string): void
    clear(): void
  }) => unknown,
  origin: 'with origin' | 'without origin' = 'with origin',
): Promise<void> {
  const book = new ExcelJS.Workbook()
  await book.xlsx.readFile(file)
  const columns = new Map<string, number>()
  book.getWorksheet(sheet)?.eachRow((row) => {
    if (columns.size > 0) {
      const at = (title: string) => row.getCell(columns.get(title) ?? 1)
      change({
        get: (title) => at(title).text,
        set: (title, text) => void (at(title).value = text),
        clear: () => row.eachCell((cell) => void (cell.value = null)),
      })
    } else if (Array.isArray(row.values) && row.values.includes('Number')) {
      for (const [column, title] of row.values.entries()) columns.set(String(title), column)
    }
  })
  expect(columns.size).toBeGreaterThan(3)
  if (origin === 'without origin') book.removeWorksheet(book.getWorksheet('Provenance')?.id ?? 0)
  await book.xlsx.writeFile(file)
}
