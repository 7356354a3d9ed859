import { sql } from 'kysely'
import type { Cell, Section } from '../../src/core/define/report.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { section } from '../shared/blocks.ts'
import { instantOf } from '../shared/local-time.ts'
import { tableColumns, tableOf } from '../shared/query.ts'
import type { Source } from './source.ts'

/** A run, with its summary if the run recorded one. */
export interface Run {
  id: number
  job: string
  state: string
  startedMs: number
  /** Undefined while the run is active. */
  endedMs: number | undefined
  /** Whether the run read only a part of its job. */
  partial: boolean
  /** The slices that were due, by stream. */
  planned: Readonly<Record<string, number>>
  tables: Readonly<Record<string, { present: number | null; quarantined: number }>>
  slices: Readonly<Record<string, { notRead: number }>>
  /** Why the account may not read a stream. */
  notAllowed: Readonly<Record<string, string>>
  /** The streams of which the run read everything that was due. */
  read: readonly string[]
  /** The streams of which the deletion guard holds deletions back. */
  guards: readonly { stream: string; missing: number }[]
}

export interface Runs {
  /** Runs that began on the day, in order. A run counts for the day on which it began. */
  ofDay: readonly Run[]
  /** By job, its last full run before the day that ended complete or incomplete; undefined without any. */
  before: ReadonlyMap<string, Run | undefined>
  /** When the account's first run began, in local time, and whether that was after the day. */
  first: { at: string; afterDay: boolean } | undefined
  /** The last run that began before the end of the day. */
  lastId: number
  /** By stream, the first run after the day that was allowed to read it, and read everything due. */
  since: ReadonlyMap<string, number>
}

export async function readRuns(source: Source): Promise<Runs> {
  const { db, account, period } = source
  const [from, to] = [instantOf(period.fromMs), instantOf(period.toMs)]
  const ofDay = await runsQuery(source)
    .where('started_at', '>=', from)
    .where('started_at', '<', to)
    .orderBy('id')
    .execute()
  const last = await db
    .selectFrom('callsheet.runs')
    .select('job')
    .select(({ fn, and, eb }) => [
      fn.max<number>('id').as('newest'),
      fn
        .max<number | null>('id')
        .filterWhere(
          and([eb('state', 'in', ['complete', 'incomplete']), eb('partial', '=', false)]),
        )
        .as('id'),
    ])
    .where('account', '=', account)
    .where('started_at', '<', from)
    .groupBy('job')
    .execute()
  const { first } = await db
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.min<string | null>('started_at').as('first'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  const ids = last.flatMap(({ id }) => id ?? [])
  const earlier = ids.length === 0 ? [] : await runsQuery(source).where('id', 'in', ids).execute()
  const byId = new Map(earlier.map((row) => [row.id, runOf(row)]))
  const lastId = Math.max(0, ...last.map(({ newest }) => newest), ...ofDay.map(({ id }) => id))
  return {
    ofDay: ofDay.map(runOf),
    before: new Map(last.map(({ job, id }) => [job, byId.get(id ?? 0)])),
    first: first === null ? undefined : firstOf(source, Date.parse(first)),
    lastId,
    since: await readSince(source, lastId),
  }
}

/** Leaves out streams that the account may not read, although their runs record them as read. */
async function readSince({ db, account }: Source, lastId: number): Promise<Runs['since']> {
  const read = await db
    .selectFrom('callsheet.runs as r')
    .innerJoinLateral(
      sql<{ stream: string }>`jsonb_array_elements_text(coalesce(r.summary->'read', '[]'))`.as<'t'>(
        sql`t(stream)`,
      ),
      (join) => join.onTrue(),
    )
    .select(['t.stream', ({ fn }) => fn.min('r.id').as('id')])
    .where('r.account', '=', account)
    .where('r.id', '>', lastId)
    .where(sql<boolean>`not coalesce(r.summary->'notAllowed' ? t.stream, false)`)
    .groupBy('t.stream')
    .execute()
  return new Map(read.map(({ stream, id }) => [stream, id]))
}

function firstOf({ period, timeZone }: Source, startedMs: number): Runs['first'] {
  return { at: zonedInstant(startedMs, timeZone), afterDay: startedMs >= period.toMs }
}

function runsQuery({ db, account }: Source) {
  return db
    .selectFrom('callsheet.runs')
    .select(['id', 'job', 'state', 'started_at', 'finished_at', 'partial', 'planned'])
    .select([
      sql<Run['tables'] | null>`summary->'tables'`.as('tables'),
      sql<Run['slices'] | null>`summary->'slices'`.as('slices'),
      sql<Run['notAllowed'] | null>`summary->'notAllowed'`.as('notAllowed'),
      sql<Run['read'] | null>`summary->'read'`.as('read'),
      sql<Run['guards'] | null>`summary->'trippedGuards'`.as('guards'),
    ])
    .where('account', '=', account)
}

type RunRow = Awaited<ReturnType<ReturnType<typeof runsQuery>['execute']>>[number]

function runOf({ started_at, finished_at, ...row }: RunRow): Run {
  return {
    id: row.id,
    job: row.job,
    state: row.state,
    startedMs: Date.parse(started_at),
    endedMs: finished_at === null ? undefined : Date.parse(finished_at),
    partial: row.partial,
    planned: (row.planned ?? {}) as Run['planned'],
    tables: row.tables ?? {},
    slices: row.slices ?? {},
    notAllowed: row.notAllowed ?? {},
    read: row.read ?? [],
    guards: row.guards ?? [],
  }
}

const COLUMNS = tableColumns([
  { name: 'id', title: 'Run', format: 'integer' },
  { name: 'job', title: 'Job', format: 'text' },
  { name: 'state', title: 'State', format: 'text', tint: 'state' },
  { name: 'began', title: 'Began', format: 'instant' },
  { name: 'ended', title: 'Ended', format: 'instant' },
  { name: 'planned', title: 'Slices planned', format: 'integer' },
  { name: 'refused', title: 'Streams not allowed', format: 'integer' },
])

export function runsSection({ timeZone }: Source, { ofDay }: Runs): Section {
  const text =
    'Runs that began on this day. Everything that a run did counts for the day on which it began.'
  const rows = ofDay.map(
    (run): Record<(typeof COLUMNS)[number]['name'], Cell> => ({
      id: run.id,
      job: run.partial ? `${run.job} (partial)` : run.job,
      state: run.state,
      began: zonedInstant(run.startedMs, timeZone),
      ended: run.endedMs === undefined ? null : zonedInstant(run.endedMs, timeZone),
      planned: Object.values(run.planned).reduce((sum, count) => sum + count, 0),
      refused: Object.keys(run.notAllowed).length,
    }),
  )
  const empty = 'No runs began on this day.'
  return section('Runs', text, tableOf({ title: 'Runs of the day', columns: COLUMNS, empty }, rows))
}
