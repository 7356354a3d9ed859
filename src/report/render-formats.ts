import { basename, join } from 'node:path'
import type { ReportDocument } from '../core/define/report.ts'
import type { ReportFormat } from '../core/define/report-format.ts'
import { tableMetadata } from './file-metadata.ts'
import { renderCsv } from './files/csv.ts'
import { documentTables } from './files/document-tables.ts'
import { renderParquet } from './files/parquet.ts'
import { renderHtml } from './page/html.ts'
import { renderXlsx } from './xlsx/xlsx.ts'

interface Target {
  directory: string
  name: string
  formats: readonly ReportFormat[]
  /** The metadata of the files, if their format has room. */
  metadata: Readonly<Record<string, string>>
}

/** Renders the document in each format into `directory`; returns the files' names. */
export async function renderFormats(
  document: ReportDocument,
  { directory, name, formats, metadata }: Target,
): Promise<string[]> {
  const files: string[] = []
  const path = (suffix: string): string => {
    files.push(basename(`${name}${suffix}`))
    return join(directory, `${name}${suffix}`)
  }
  if (formats.includes('xlsx')) await renderXlsx(document, path('.xlsx'))
  if (formats.includes('html')) await renderHtml(document, path('.html'))
  if (formats.includes('csv'))
    for (const { part, table } of documentTables(document))
      await renderCsv(table, path(`.${part}.csv`))
  if (formats.includes('parquet'))
    for (const one of documentTables(document)) {
      const facts = { ...metadata, ...tableMetadata(one) }
      await renderParquet(one.table, path(`.${one.part}.parquet`), facts)
    }
  return files
}
