import { join } from 'node:path'
import ExcelJS from 'exceljs'
import {
  readTables,
  type TableLine,
  type TableWanted,
} from '../../../src/apply/workbook/read-xlsx.ts'
import { readMembers, writeMembers } from '../../helpers/rewrite-zip.ts'

export async function linesOf(path: string, ...wanted: TableWanted[]): Promise<TableLine[]> {
  const lines: TableLine[] = []
  for await (const line of readTables(path, wanted)) lines.push(line)
  return lines
}

export const wanted = (sheet: string, ...columns: string[]): TableWanted => ({ sheet, columns })

/** Writes a workbook by ExcelJS instead of our writer, with one sheet that `fill` fills. */
export async function written(
  directory: string,
  name: string,
  fill: (sheet: ExcelJS.Worksheet) => void,
): Promise<string> {
  const book = new ExcelJS.Workbook()
  fill(book.addWorksheet('Table'))
  const path = join(directory, `${name}.xlsx`)
  await book.xlsx.writeFile(path)
  return path
}

/** Writes a workbook with one cell, and then replaces the given parts of its zip. */
export async function rewritten(
  directory: string,
  name: string,
  parts: Readonly<Record<string, string>>,
): Promise<string> {
  const path = await written(directory, name, (sheet) => sheet.addRow(['Number']))
  const members = await readMembers(path)
  for (const [part, xml] of Object.entries(parts)) {
    if (!members.has(part)) throw new Error(`There is no part ${part}`)
    members.set(part, Buffer.from(xml))
  }
  await writeMembers(
    path,
    [...members].filter(([part]) => !part.endsWith('/')),
  )
  return path
}
