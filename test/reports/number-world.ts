import { sql } from 'kysely'
import numberInventory from '../../reports/number-inventory.ts'
import type { Cell, Section, Table } from '../../src/core/declare/report.ts'
import { prepareReport } from '../../src/engine/report/prepare-report.ts'
import { rowBatches } from '../../src/render/format-cell.ts'
import type { Warehouse } from '../../src/warehouse/connection/connect.ts'

export type Line = Readonly<Record<string, Cell>>

/** A report's sheets: the notes of each, and the lines of its tables and figures by the titles of columns. */
export interface Sheets {
  titles: readonly string[]
  notes(sheet: string): string
  lines(sheet: string, table?: string): readonly Line[]
  figures(sheet: string): Line
}

/** The inventory by the runs that had ended by an instant, read as its renderers would. */
export async function readInventory(
  warehouse: Warehouse,
  { settings, endedBy }: { settings?: Record<string, unknown>; endedBy?: string },
  account = 'hand',
): Promise<Sheets> {
  const request = {
    report: numberInventory,
    account,
    params: {},
    timeZone: 'UTC',
    ...(settings === undefined ? {} : { settings }),
    ...(endedBy === undefined ? {} : { endedByMs: Date.parse(endedBy) }),
  }
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
  const blocksOf = (sheet: string) => sections.find(({ title }) => title === sheet)?.blocks ?? []
  return {
    titles: sections.map(({ title }) => title),
    notes: (sheet) =>
      blocksOf(sheet)
        .flatMap((block) => (block.kind === 'note' ? [block.text] : []))
        .join('\n'),
    lines: (sheet, table = sheet) => tables.get(`${sheet}/${table}`) ?? [],
    figures: (sheet) =>
      Object.fromEntries(
        blocksOf(sheet).flatMap((block) =>
          block.kind === 'figures' ? block.figures.map(({ label, value }) => [label, value]) : [],
        ),
      ),
  }
}

export interface Inserted {
  at: string
  run: number
}

/** A row as a run wrote it. */
export async function insertRow(
  { db }: Warehouse,
  [stream, row]: readonly [stream: string, row: Readonly<Record<string, unknown>>],
  { at, run }: Inserted,
): Promise<void> {
  const all = {
    account: 'hand',
    ...row,
    _raw: '{}',
    _hash: Buffer.from([0]),
    _first_seen_at: at,
    _changed_at: at,
    _run_id: run,
  }
  const names = Object.keys(all).map((name) => sql.id(name))
  await sql`insert into ${sql.id('svc', stream)} (${sql.join(names)})
    values (${sql.join(Object.values(all))})`.execute(db)
}

/** A run found that rows are gone. */
export async function endRows(
  { db }: Warehouse,
  [stream, column, value]: readonly [stream: string, column: string, value: string],
  { at, run }: Inserted,
): Promise<void> {
  const found = sql`account = 'hand' and ${sql.id(column)} = ${value}`
  await sql`insert into ${sql.id('history', stream)}
    select r.*, _changed_at, ${at}, ${run}, 'deleted' from ${sql.id('svc', stream)} r
    where ${found}`.execute(db)
  await sql`update ${sql.id('svc', stream)} set _deleted_at = ${at}, _run_id = ${run}
    where ${found}`.execute(db)
}
