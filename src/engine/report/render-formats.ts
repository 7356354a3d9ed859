import { basename, join } from 'node:path'
import type { Cell, ReportDocument, Section, Table } from '../../core/declare/report.ts'
import { renderCsv } from '../../render/csv.ts'
import { rowBatches } from '../../render/format-cell.ts'
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
  if (formats.includes('csv')) {
    const cover = document.sections.find(({ provenance }) => provenance === true)
    if (cover !== undefined) await renderCsv(await coverTable(cover), path('.cover.csv'))
    for (const { suffix, table } of csvTables(document)) await renderCsv(table, path(suffix))
  }
  return files
}

/** All that the provenance says as one table, so that there is one file for it whatever it says. */
async function coverTable({ title, blocks }: Section): Promise<Table> {
  const rows: Cell[][] = []
  const put = (part: string, line: number, values: readonly [string, Cell][]): void => {
    for (const [name, value] of values) rows.push([part, line, name, value])
  }
  let notes = 0
  for (const block of blocks) {
    if (block.kind === 'note') put('Note', ++notes, [[block.tone, block.text]])
    if (block.kind === 'figures')
      block.figures.forEach(({ label, value }, at) => put(block.title, at + 1, [[label, value]]))
    if (block.kind !== 'table') continue
    let line = 0
    for await (const batch of rowBatches(block.rows))
      for (const row of batch) {
        line++
        put(
          block.title,
          line,
          block.columns.map(({ name }, at) => [name, row[at] ?? null]),
        )
      }
  }
  const columns = ['part', 'line', 'name', 'value'].map(
    (name) => ({ name, title: name, format: 'text' }) as const,
  )
  return { kind: 'table', title, columns, rows }
}

/** Every table but the provenance's, each with a name of its own. */
function csvTables({ sections }: ReportDocument): { suffix: string; table: Table }[] {
  const taken = new Set(['.cover'])
  const shown = sections.filter(({ provenance }) => provenance !== true)
  return shown.flatMap((section) =>
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
