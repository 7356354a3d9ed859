import { basename, join } from 'node:path'
import type { ReportDocument, Table } from '../core/report.ts'
import { renderCsv } from '../render/csv.ts'
import { renderHtml } from '../render/html.ts'
import { renderXlsx } from '../render/xlsx.ts'

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
  if (formats.includes('csv')) {
    for (const { suffix, table } of csvTables(document)) await renderCsv(table, path(suffix))
  }
  return files
}

/** Every table but the cover's, each with a name of its own. */
export function csvTables({ sections }: ReportDocument): { suffix: string; table: Table }[] {
  const taken = new Set<string>()
  return sections.slice(1).flatMap((section) =>
    section.blocks
      .filter((block) => block.kind === 'table')
      .map((table) => {
        const own = table.title === section.title ? '' : `.${slug(table.title)}`
        const base = `.${slug(section.title)}${own}`
        let suffix = base
        for (let number = 2; taken.has(suffix); number++) suffix = `${base}-${number}`
        taken.add(suffix)
        return { suffix: `${suffix}.csv`, table }
      }),
  )
}

/** A name as files may have it everywhere. */
export function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return plain.replace(/^-+|-+$/g, '').slice(0, 80) || 'unnamed'
}
