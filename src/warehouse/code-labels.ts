import { sql } from 'kysely'
import type { Column } from '../core/define/column.ts'
import type { Stream } from '../core/define/stream.ts'
import { codeWords } from '../core/values/code-words.ts'
import type { Warehouse } from './connect.ts'

/** Makes `report.labels` contain exactly the words for the streams' documented codes. */
export async function labelCodes(warehouse: Warehouse, streams: readonly Stream[]): Promise<void> {
  const labels = JSON.stringify(streams.flatMap(labelsOf))
  await sql`
    with given as (
      select * from jsonb_to_recordset(${labels}::jsonb)
        as g("table" text, "column" text, code text, label text)),
    removed as (
      delete from report.labels l where not exists (
        select from given g where (g."table", g."column", g.code) = (l."table", l."column", l.code)))
    insert into report.labels as l ("table", "column", code, label) select * from given
    on conflict ("table", "column", code) do update set label = excluded.label
      where l.label <> excluded.label`.execute(warehouse.db)
}

function labelsOf({ name: table, columns }: Stream) {
  return Object.entries(columns).flatMap(([column, declared]) =>
    (declared.known ?? []).flatMap((code) => {
      const label = labelOf(declared, code)
      return label === undefined ? [] : [{ table, column, code: String(code), label }]
    }),
  )
}

/** Undefined for a number that the documents do not explain. */
function labelOf({ meanings }: Column, code: string | number): string | undefined {
  if (typeof code === 'string') return codeWords(code)
  const meaning = meanings?.[code]
  return meaning === undefined ? undefined : meaning.slice(0, 1).toUpperCase() + meaning.slice(1)
}
