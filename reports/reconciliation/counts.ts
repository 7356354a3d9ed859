import { type RawBuilder, sql } from 'kysely'
import { countWhere, sum } from '../shared/expressions.ts'
import { instantOf } from '../shared/local-time.ts'
import type { Runs } from './runs.ts'
import type { Source } from './source.ts'

/** The slice counts of a stream, over the day's runs. */
export type StreamSliceCounts = Awaited<ReturnType<typeof readSliceCounts>>[number]

export async function countSlices(
  source: Source,
  runs: Runs,
): Promise<ReadonlyMap<string, StreamSliceCounts>> {
  if (runs.ofDay.length === 0) return new Map()
  const rows = await readSliceCounts(source, runs)
  return new Map(rows.map((row) => [row.stream, row]))
}

/**
 * Each record that a complete slice received is inserted, updated, unchanged, ignored (another slice's
 * record, or received before) or quarantined. `lost` counts records that are none of these. `twice` counts
 * records that were handled again because a list moved while it was paged. `short` counts by how much lists
 * stayed below the service's own total, without lists that may be cut. `total` and `short` also omit lists of
 * which only the total was requested.
 */
async function readSliceCounts({ db, account, period }: Source, { ofDay }: Runs) {
  const handled = sql<number>`(inserted + updated + unchanged + ignored + quarantined)`
  const complete = sql<boolean>`state = 'complete'`
  const listed = sql<boolean>`(received > 0 or service_total = 0)`
  const whole = sql<boolean>`${complete} and ${listed} and not possibly_truncated`
  const over = (value: RawBuilder<number>, filter: RawBuilder<boolean>) =>
    sql<number>`coalesce(sum(greatest(${value}, 0)) filter (where ${filter}), 0)::int`
  return await db
    .selectFrom('callsheet.slices')
    .select('stream')
    .select(({ ref }) => [
      sql<number[]>`array_agg(distinct run_id)`.as('runIds'),
      countWhere(complete).as('complete'),
      countWhere(sql`state = 'failed'`).as('failed'),
      countWhere(sql`state = 'not_allowed'`).as('notAllowed'),
      sum(ref('received')).as('received'),
      sum(ref('inserted')).as('inserted'),
      sum(ref('updated')).as('updated'),
      sum(ref('unchanged')).as('unchanged'),
      sum(ref('ignored')).as('ignored'),
      sum(ref('quarantined')).as('quarantined'),
      sum(ref('outside')).as('outside'),
      sql<number | null>`(sum(service_total) filter (where ${listed}))::int`.as('total'),
      over(sql`service_total - received`, whole).as('short'),
      over(sql`received - ${handled}`, complete).as('lost'),
      over(sql`${handled} - received`, complete).as('twice'),
    ])
    .where('account', '=', account)
    .where('finished_at', '>=', instantOf(period.fromMs))
    .where(
      'run_id',
      'in',
      ofDay.map(({ id }) => id),
    )
    .groupBy('stream')
    .execute()
}

/** A run's writes to a stream's rows. Each was recorded in the transaction that made it. */
export interface Write {
  stream: string
  runId: number
  job: string
  inserted: number
  updated: number
  deleted: number
  /** Rows that left the part that the account keeps. */
  left: number
}

/** Reads the writes of all runs after the oldest run in `runs.before`, up to the day's last run. */
export async function countWrites({ db, account }: Source, runs: Runs): Promise<Write[]> {
  const [first] = runs.ofDay
  if (first === undefined) return []
  const openings = [...runs.before.values()].flatMap((run) => run?.id ?? [])
  return await db
    .selectFrom('callsheet.batches as b')
    .innerJoin('callsheet.runs as r', (join) =>
      join.onRef('r.account', '=', 'b.account').onRef('r.id', '=', 'b.run_id'),
    )
    .select(['b.stream', 'b.run_id as runId', 'r.job'])
    .select(({ ref }) => [
      sum(ref('b.inserted')).as('inserted'),
      sum(ref('b.updated')).as('updated'),
      sum(ref('b.deleted')).as('deleted'),
      sum(ref('b.left_part')).as('left'),
    ])
    .where('b.account', '=', account)
    .where('b.run_id', '>', Math.min(first.id - 1, ...openings))
    .where('b.run_id', '<=', runs.lastId)
    .groupBy(['b.stream', 'b.run_id', 'r.job'])
    .execute()
}
