import { readZip, zipParts } from '../test/report/xlsx/read-zip.ts'

/** The number of a sheet's last row, from its XML: a long sheet is not read cell by cell. */
export function lastRow(zip: Buffer, sheet: string): number {
  const book = readZip(zip, ['xl/workbook.xml']).get('xl/workbook.xml') ?? ''
  const at = [...book.matchAll(SHEET)].findIndex(([, name]) => name === sheet)
  const xml = zipParts(zip).get(`xl/worksheets/sheet${at + 1}.xml`)?.() ?? Buffer.alloc(0)
  const last = xml.lastIndexOf('<row r="')
  return Number(xml.toString('latin1', last + 8, last + 20).split('"')[0])
}

const SHEET = /<sheet [^>]*name="([^"]*)"/g
