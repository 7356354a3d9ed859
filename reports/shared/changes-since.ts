import { type RawBuilder, sql } from 'kysely'
import type { ReportContext, Section, TableColumn } from '../../src/core/define/report.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { toMinutes } from '../../src/core/time/time.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { section } from './blocks.ts'
import { cursorTable, queryRows, tableOf } from './query.ts'

/** The rows of a stream in a report, now and before. */
export interface Compared {
  stream: Stream
  now: Relation<unknown>
  before: Relation<unknown>
}

type Context = Pick<
  ReportContext<unknown, never>,
  'db' | 'keep' | 'since' | 'previousAsOfMs' | 'timeZone'
>

/**
 * Lists changes since the requested instant: the number of changed rows of each stream, and each changed
 * value before and after. Returns nothing if no instant was requested.
 */
export async function changesSince(
  { db, keep, since, previousAsOfMs, timeZone }: Context,
  compared: readonly Compared[],
): Promise<Section[]> {
  if (!since || previousAsOfMs === undefined) return []
  const changes = await keep('changes', sql`${sql.join(compared.map(changesOf), UNION)}`)
  const counts = await queryRows(
    db,
    sql`
    select stream, ${sql.join(KINDS.map((kind) => sql`${rowsOf(kind)} as ${sql.id(kind)}`))}
    from (${sql.join(
      compared.map(({ stream }, at) => streamName(stream, at)),
      UNION,
    )}) s
      left join ${changes} c using (stream, at) group by stream, at order by at`,
  )
  const title = 'Changes since'
  const query = sql`select * from ${changes} c order by at, key collate "C", field collate "C"`
  const then = toMinutes(zonedInstant(previousAsOfMs, timeZone))
  const text =
    `Rows that were added, changed or removed since ${then}, with each changed value. Each ` +
    'stream is compared with its state after the last complete run before that time. Values ' +
    'that were fetched again but are the same do not count.'
  return [
    section(
      title,
      text,
      tableOf({ title: 'Number of rows', columns: COUNTS }, counts),
      cursorTable(db, { title, columns: CHANGES, empty: 'Nothing has changed.' }, query),
    ),
  ]
}

/**
 * Uses raw SQL, because the columns are known only at run time. Returns one row per changed value, and one
 * per added or removed row. Omits volatile values, whose changes make no version.
 */
function changesOf({ stream, now, before }: Compared, at: number): RawBuilder<unknown> {
  const names = Object.keys(stream.columns).filter((name) => !stream.volatile.includes(name))
  const listed = (table: string): RawBuilder<unknown> =>
    sql.join(names.map((name) => sql.id(table, name)))
  const same = stream.key.map((name) => sql`${sql.id('n', name)} = ${sql.id('p', name)}`)
  const key = stream.key.map(
    (name) => sql`coalesce(${sql.id('n', name)}, ${sql.id('p', name)})::text`,
  )
  const [first] = stream.key.map((name) => [sql.id('n', name), sql.id('p', name)] as const)
  const [newKey, oldKey] = first ?? [sql`null`, sql`null`]
  return sql`
    select ${at}::int as at, ${stream.name}::text as stream,
      case when ${oldKey} is null then 'added' when ${newKey} is null then 'gone' else 'changed' end
        as change,
      concat_ws(' ', ${sql.join(key)}) as key, f.field, f.before, f.now
    from (select ${listed('r')} from ${now} r) n
      full join (select ${listed('r')} from ${before} r) p on ${sql.join(same, sql` and `)}
      left join lateral (
        select o.key as field, b.value as before, o.value as now
        from jsonb_each_text(to_jsonb(n)) o join jsonb_each_text(to_jsonb(p)) b using (key)
        where o.value is distinct from b.value and ${newKey} is not null and ${oldKey} is not null) f on true
    where (${listed('n')}) is distinct from (${listed('p')})`
}

function streamName({ name }: Stream, at: number): RawBuilder<unknown> {
  return sql`select ${at}::int as at, ${name}::text as stream`
}

function rowsOf(kind: (typeof KINDS)[number]): RawBuilder<unknown> {
  return sql`count(distinct key) filter (where change = ${kind})::int`
}

const UNION = sql` union all `
const KINDS = ['added', 'changed', 'gone'] as const
const COUNTS: readonly TableColumn[] = [
  { name: 'stream', title: 'Stream', format: 'text' },
  { name: 'added', title: 'Added', format: 'integer' },
  { name: 'changed', title: 'Changed', format: 'integer' },
  { name: 'gone', title: 'Gone', format: 'integer' },
]
const CHANGES: readonly TableColumn[] = [
  { name: 'change', title: 'Change', format: 'text' },
  { name: 'stream', title: 'Stream', format: 'text' },
  { name: 'key', title: 'Key', format: 'text' },
  { name: 'field', title: 'Column', format: 'text' },
  { name: 'before', title: 'Before', format: 'text' },
  { name: 'now', title: 'After', format: 'text' },
]
