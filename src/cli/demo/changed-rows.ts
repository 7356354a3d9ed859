import { type RawBuilder, sql } from 'kysely'
import { streams } from '../../account/catalog.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import type { Stream } from '../../core/define/stream.ts'
import { current, tableOf } from '../../warehouse/schema/table-sql.ts'

/** A row that a sync changed: its name, and each changed value as `column: before -> after`. */
export interface ChangedRow {
  table: string
  name: string
  values: readonly string[]
}

/**
 * Reads up to ten rows of the tables in `NAMES` that runs after `runId` changed, from each table in turn. Old
 * values come from the history, new values from the current rows.
 */
export async function readChangedRows(
  { warehouse }: OpenWarehouse,
  runId: number,
): Promise<ChangedRow[]> {
  const found: ChangedRow[][] = []
  for (const stream of streams) {
    const name = NAMES[stream.name]
    if (name === undefined) continue
    const { rows } = await changesOf(stream, name, runId).execute(warehouse.db)
    found.push(rows.map((row) => ({ ...row, table: stream.name })))
  }
  const inTurn = Array.from({ length: MOST }, (_, at) => found.flatMap((rows) => rows[at] ?? []))
  const chosen = new Set(inTurn.flat().slice(0, MOST))
  return found.flat().filter((row) => chosen.has(row))
}

/** Raw SQL, because the tables and their columns are known only at run time. */
function changesOf(
  stream: Stream,
  name: string,
  runId: number,
): RawBuilder<Omit<ChangedRow, 'table'>> {
  const keys = ['account', ...stream.key]
  const same = keys.map((key) => sql`${sql.id('h', key)} = ${sql.id('r', key)}`)
  const text = sql`c.key || ': ' || coalesce(b.value, 'none') || ' -> ' || coalesce(c.value, 'none')`
  return sql`
    select max(${sql.id('r', name)}) as name, array_agg(${text} order by length(${text})) as values
    from ${tableOf('history', stream)} h join ${current(stream)} r on ${sql.join(same, sql` and `)}
      cross join lateral jsonb_each_text(to_jsonb(h)) b
      join lateral jsonb_each_text(to_jsonb(r)) c on c.key = b.key
    where h._end = 'changed' and h._ended_by_run > ${runId}
      and not starts_with(c.key, '_') and b.value is distinct from c.value
    group by ${sql.join(stream.key.map((key) => sql.id('r', key)))}
    order by 1 limit ${MOST}`
}

const MOST = 10

/** The tables whose rows have a name that people recognize, and the column with it. */
const NAMES: Readonly<Record<string, string>> = {
  users: 'email',
  phone_numbers: 'number',
  whiteboards: 'whiteboard_name',
  session_reports: 'session_name',
}
