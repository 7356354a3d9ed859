import type { Block, Cell, Note, Section, Table } from '../../src/core/define/report.ts'
import { rowBatches } from '../../src/report/files/row-batches.ts'
import { prepareReport } from '../../src/report/prepare-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'

export type Line = Readonly<Record<string, Cell>>

/** A report's sheets: their notes, and the lines of their tables and figures by column title. */
export interface Sheets {
  titles: readonly string[]
  notes(sheet: string): string
  /** The sheets to which the notes link. */
  links(sheet: string): readonly string[]
  /** The tone of the note that begins with this text; undefined if there is none. */
  tone(sheet: string, begins: string): Note['tone'] | undefined
  lines(sheet: string, table?: string): readonly Line[]
  figures(sheet: string): Line
}

/** Builds a report and reads it as the renderers do. */
export async function readSheets(
  warehouse: Warehouse,
  request: Parameters<typeof prepareReport>[1],
): Promise<Sheets> {
  return await warehouse.transaction(
    async (tx) => {
      const { document } = await prepareReport(tx, request)
      const tables = new Map<string, Line[]>()
      for (const { title, blocks } of document.sections)
        for (const block of blocks)
          if (block.kind === 'table') tables.set(`${title}/${block.title}`, await linesOf(block))
      return sheetsOf(document.sections, tables)
    },
    { snapshot: true, keeps: true },
  )
}

async function linesOf({ columns, rows }: Table): Promise<Line[]> {
  const lines: Line[] = []
  for await (const batch of rowBatches(rows))
    for (const row of batch)
      lines.push(Object.fromEntries(columns.map(({ title }, at) => [title, row[at] ?? null])))
  return lines
}

function sheetsOf(sections: readonly Section[], tables: ReadonlyMap<string, Line[]>): Sheets {
  const blocksOf = (sheet: string): readonly Block[] =>
    sections.find(({ title }) => title === sheet)?.blocks ?? []
  const notesOf = (sheet: string) => blocksOf(sheet).filter((block) => block.kind === 'note')
  return {
    titles: sections.map(({ title }) => title),
    notes: (sheet) =>
      notesOf(sheet)
        .map(({ text }) => text)
        .join('\n'),
    links: (sheet) => notesOf(sheet).flatMap(({ link }) => link ?? []),
    tone: (sheet, begins) => notesOf(sheet).find(({ text }) => text.startsWith(begins))?.tone,
    lines: (sheet, table = sheet) => tables.get(`${sheet}/${table}`) ?? [],
    figures: (sheet) =>
      Object.fromEntries(
        blocksOf(sheet).flatMap((block) =>
          block.kind === 'figures' ? block.figures.map(({ label, value }) => [label, value]) : [],
        ),
      ),
  }
}
