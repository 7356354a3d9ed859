import { sql } from 'kysely'
import type { Stream } from '../core/define/stream.ts'
import { lockText } from './advisory-lock.ts'
import type { Warehouse } from './connect.ts'
import { BOOKKEEPING, ENDING, OWNER } from './schema/bookkeeping.ts'
import { type DescribedView, REPORT_VIEWS, VALIDITY } from './schema/report-views.ts'

interface Comment {
  space: string
  table: string
  /** The column; undefined for a comment on the table itself. */
  name?: string
  about: string
}

/**
 * Writes the declarations' texts as Postgres comments on each table, view and column. They are sent as one
 * parameter, which Postgres quotes. Only the owner of the tables may change them.
 */
export async function commentTables(
  warehouse: Warehouse,
  streams: readonly Stream[],
): Promise<void> {
  const comments = JSON.stringify([...streams.flatMap(commentsOf), ...VIEWS])
  await warehouse.transaction(async (tx) => {
    // Processes that start together after an upgrade would otherwise fail at the same comment.
    await lockText(tx, 'comments', { space: COMMENT_LOCK })
    await tx
      .selectNoFrom(({ fn, lit, val }) =>
        fn('set_config', [val('callsheet.comments'), val(comments), lit(true)]).as('comments'),
      )
      .execute()
    await WRITE.execute(tx)
  })
}

/** Whether this role owns the tables, so that it may describe them. */
export async function ownsTables({ db }: Warehouse): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`
    select pg_has_role(c.relowner, 'usage') as owns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'report' and c.relname = 'labels'`.execute(db)
  return rows[0]?.owns === true
}

function commentsOf({ name: table, about, columns }: Stream): Comment[] {
  const own = Object.entries(columns).map(([name, column]) => [name, column.about] as const)
  const shown = [...Object.entries(OWNER), ...own]
  const kept = [...shown, ...Object.entries(BOOKKEEPING)]
  const ended = [...kept, ...Object.entries(ENDING)]
  return [
    { space: 'svc', table, about },
    { space: 'history', table, about: `Earlier versions of the rows of svc.${table}.` },
    { space: 'report', table, about },
    ...kept.map(([name, said]) => ({ space: 'svc', table, name, about: said })),
    ...ended.map(([name, said]) => ({ space: 'history', table, name, about: said })),
    ...shown.map(([name, said]) => ({ space: 'report', table, name, about: said })),
    ...described(`history_${table}`, {
      about: `All versions of the rows of report.${table}, the present ones included.`,
      columns: { ...Object.fromEntries(shown), ...VALIDITY },
    }),
  ]
}

function described(table: string, { about, columns }: DescribedView): Comment[] {
  const named = Object.entries(columns)
  return [
    { space: 'report', table, about },
    ...named.map(([name, said]) => ({ space: 'report', table, name, about: said })),
  ]
}

const VIEWS = Object.entries(REPORT_VIEWS).flatMap(([name, view]) => described(name, view))

const COMMENT_LOCK = 2_026_000_062

// A block is needed because COMMENT accepts no parameters.
const WRITE = sql`
  do $$
  declare wanted record;
  begin
    for wanted in
      select c.oid::regclass as relation, c.relkind, w.name, w.about
      from jsonb_to_recordset(current_setting('callsheet.comments')::jsonb)
          as w(space text, "table" text, name text, about text)
        join pg_class c on c.relname = w.table and c.relnamespace = to_regnamespace(quote_ident(w.space))
        left join pg_attribute a on a.attrelid = c.oid and a.attname = w.name and a.attnum > 0
      where (w.name is null or a.attname is not null) and w.about is distinct from
        case when w.name is null then obj_description(c.oid, 'pg_class')
          else col_description(c.oid, a.attnum) end
      order by c.relnamespace, c.relname collate "C", a.attnum
    loop
      if wanted.name is not null then
        execute format('comment on column %s.%I is %L', wanted.relation, wanted.name, wanted.about);
      elsif wanted.relkind = 'v' then
        execute format('comment on view %s is %L', wanted.relation, wanted.about);
      else
        execute format('comment on table %s is %L', wanted.relation, wanted.about);
      end if;
    end loop;
  end $$`
