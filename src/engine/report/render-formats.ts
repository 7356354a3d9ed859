import { basename, join } from 'node:path'
import type { ReportDocument } from '../../core/declare/report.ts'
import { renderCsv } from '../../render/csv.ts'
import { documentTables } from '../../render/document-tables.ts'
import { renderHtml } from '../../render/page/html.ts'
import { renderXlsx } from '../../render/xlsx/xlsx.ts'

export type ReportFormat = 'xlsx' | 'html' | 'csv'

/** Renders the document in each format into `directory`; answers the files' names. */
export async function renderFormats(
  document: ReportDocument,
  {
    directory,
    name,
    formats,
  }: { directory: string; name: string; formats: readonly ReportFormat[] },
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
  return files
}
