import ExcelJS from 'exceljs'
import { expect } from 'vitest'
import { type Members, readMembers, writeMembers } from '../helpers/rewrite-zip.ts'

/** Changes cells by the titles of their columns. */
export async function edit(
  file: string,
  sheet: string,
  change: (cells: {
    get(title: string): string
    set(title: string, text: string): void
    clear(): void
  }) => unknown,
  origin: 'with origin' | 'without properties' | 'without origin' = 'with origin',
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
  const before = await readMembers(file)
  if (origin === 'without origin') book.removeWorksheet(book.getWorksheet('Provenance')?.id ?? 0)
  await book.xlsx.writeFile(file)
  if (origin === 'with origin') await keepProperties(file, before)
}

/** Restores the document's properties: Excel and LibreOffice keep them, but this library drops them. */
async function keepProperties(file: string, before: Members): Promise<void> {
  const members = await readMembers(file)
  for (const part of ['docProps/custom.xml', '_rels/.rels']) {
    const content = before.get(part)
    if (content === undefined) throw new Error(`There is no part ${part}`)
    members.set(part, content)
  }
  const types = '[Content_Types].xml'
  const [override] = /<Override[^>]*custom\.xml[^>]*>/.exec(String(before.get(types))) ?? []
  expect(override).toBeDefined()
  const written = String(members.get(types)).replace('</Types>', `${override}</Types>`)
  members.set(types, Buffer.from(written))
  await writeMembers(
    file,
    [...members].filter(([name]) => !name.endsWith('/')),
  )
}
