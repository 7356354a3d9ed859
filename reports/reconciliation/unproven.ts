import { sql } from 'kysely'
import type { Block, Section } from '../../src/core/define/report.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { count as grouped } from '../../src/core/values/quantities.ts'
import { note } from '../shared/blocks.ts'
import { countWhere, rowCount } from '../shared/expressions.ts'
import { localInstant } from '../shared/local-time.ts'
import { cursorTable, namesOf, type RowIn, tableColumns } from '../shared/query.ts'
import type { Runs } from './runs.ts'
import type { Source } from './source.ts'

/** The slices that were due and not proven when the day ended. */
export interface Unproven {
  slices: Relation<RowIn<ReturnType<typeof openSlices>>>
  /** The number of these slices in each stream, without those that the account may not read. */
  counts: ReadonlyMap<string, number>
  lastId: number
}

export async function readUnproven(source: Source, { lastId }: Runs): Promise<Unproven> {
  const slices = await source.keep('unproven', openSlices(source, lastId))
  const rows = await source.db
    .selectFrom(slices.as('u'))
    .select(['u.stream', countWhere(sql`u.state <> 'not allowed'`).as('count')])
    .groupBy('u.stream')
    .execute()
  return { slices, counts: new Map(rows.map(({ stream, count }) => [stream, count])), lastId }
}

/**
 * Returns slices whose last attempts were not proven. Counts only attempts since the last full run that read
 * everything due of the stream: a slice that this run omitted is no longer due.
 */
function openSlices({ db, account }: Source, lastId: number) {
  const read = db
    .selectFrom('callsheet.runs as r')
    .innerJoinLateral(
      sql<{ stream: string }>`jsonb_array_elements_text(coalesce(r.summary->'read', '[]'))`.as<'t'>(
        sql`t(stream)`,
      ),
      (join) => join.onTrue(),
    )
    .select(['t.stream', ({ fn }) => fn.max('r.id').as('id')])
    .where('r.account', '=', account)
    .where('r.partial', '=', false)
    .where('r.id', '<=', lastId)
    .groupBy('t.stream')
  const proven = sql<boolean>`s.state = 'complete' and (s.checked or not callsheet.no_list(s.state, s.error))`
  const tried = db
    .selectFrom('callsheet.slices as s')
    .leftJoin(read.as('l'), 'l.stream', 's.stream')
    .select(['s.stream', 's.slice', 's.state', 's.run_id', 's.finished_at'])
    .select(
      sql<number | null>`max(s.run_id) filter (where ${proven})
        over (partition by s.stream, s.slice)`.as('proven_by'),
    )
    .where('s.account', '=', account)
    .where('s.run_id', '<=', lastId)
    .where('s.run_id', '>', ({ fn, lit, ref }) => fn.coalesce(ref('l.id'), lit(0)))
  const last = sql<string>`(array_agg(t.state order by t.run_id desc, t.finished_at desc))[1]`
  return db
    .selectFrom(tried.as('t'))
    .select(['t.stream', 't.slice'])
    .select(({ fn }) => [
      sql<string>`case ${last} when 'complete' then 'no such list' when 'not_allowed'
        then 'not allowed' else ${last} end`.as('state'),
      fn.min('t.finished_at').as('since'),
      fn.max('t.run_id').as('run_id'),
    ])
    .where('t.run_id', '>', ({ fn, lit, ref }) => fn.coalesce(ref('t.proven_by'), lit(0)))
    .groupBy(['t.stream', 't.slice'])
}

const COLUMNS = tableColumns([
  { name: 'stream', title: 'Stream', format: 'text' },
  { name: 'slice', title: 'Slice', format: 'text' },
  { name: 'state', title: 'State', format: 'text', tint: 'state' },
  { name: 'first', title: 'Since', format: 'instant' },
  { name: 'run_id', title: 'Last tried by run', format: 'integer' },
  { name: 'read', title: 'Complete since', format: 'instant' },
])

/** Lists the slices that have been open longest, and the number of the others. */
export async function unprovenSection(
  source: Source,
  { slices, lastId }: Unproven,
): Promise<Section> {
  const { db, account, timeZone } = source
  const title = 'Not proven'
  const text =
    'Slices whose last attempt was not complete when the day ended, the longest open first; ' +
    'those that the account may not read come last. “Complete since” shows whether a later run ' +
    'has read the slice completely. Run "callsheet runs RUN" to see the errors.'
  const read = db
    .selectFrom('callsheet.slices as s')
    .select(['s.stream', 's.slice', ({ fn }) => fn.min('s.finished_at').as('at')])
    .where('s.account', '=', account)
    .where('s.run_id', '>', lastId)
    .where('s.state', '=', 'complete')
    .groupBy(['s.stream', 's.slice'])
  const query = db
    .selectFrom(
      db
        .selectFrom(slices.as('u'))
        .leftJoin(read.as('l'), (join) =>
          join.onRef('l.stream', '=', 'u.stream').onRef('l.slice', '=', 'u.slice'),
        )
        .selectAll('u')
        .select(({ ref }) => [
          localInstant(ref('u.since'), timeZone).as('first'),
          localInstant(ref('l.at'), timeZone).as('read'),
        ])
        .as('u'),
    )
    .select(namesOf(COLUMNS))
    .orderBy(sql`u.state = 'not allowed'`)
    .orderBy('u.since')
    .orderBy('u.stream')
    .orderBy('u.slice')
    .limit(MOST_SHOWN)
  const { count } = await db
    .selectFrom(slices.as('u'))
    .select(rowCount.as('count'))
    .executeTakeFirstOrThrow()
  const blocks: Block[] = [note('plain', text)]
  if (count > MOST_SHOWN)
    blocks.push(
      note(
        'warning',
        `Only the first ${grouped(MOST_SHOWN)} slices are shown. ` +
          `${grouped(count - MOST_SHOWN)} more are not proven.`,
      ),
    )
  const empty = 'Every slice is proven.'
  blocks.push(cursorTable(db, { title: 'Slices not proven', columns: COLUMNS, empty }, query))
  return { title, blocks }
}

const MOST_SHOWN = 500
