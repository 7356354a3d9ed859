import { join } from 'node:path'
import { systemClock } from '../src/core/time/clock.ts'
import { keysLike } from '../src/erasure/sql/erasure-rows.ts'
import { cleanTables } from '../src/erasure/sql/vacuum-tables.ts'
import { sessionReports } from '../src/resources/session-reports.ts'
import { connect, type DatabaseClient } from '../src/warehouse/connect.ts'
import { runChild } from './child.ts'
import { WATCHING } from './database.ts'
import type { GrowthStage } from './growth-stage.ts'
import type { PublishedOnce, PublishOrder } from './publish.ts'
import { REPORT_ACCOUNT, REPORT_MONTH } from './report-rows.ts'

/** What a step took of Postgres. Nothing else on the machine changes the number of pages. */
export interface GrowthCost {
  cpuMs: number
  pages: number
}

type Step = (stage: GrowthStage) => Promise<unknown>

/** Each is done for one account, whatever else the table holds. */
export const STEPS: Readonly<Record<string, Step>> = {
  'night, unchanged': ({ night }) => night.ours('unchanged'),
  'night, 1 % changed or deleted': async ({ night }) => {
    await night.change()
    await night.ours('changed')
  },
  report: async ({ night: { database } }) => {
    const order: PublishOrder = {
      databaseUrl: database.url,
      directory: join(database.directory, 'out'),
      report: 'session-quality',
      params: { month: REPORT_MONTH },
    }
    await runChild<PublishOrder, PublishedOnce>('publish.ts', order)
  },
  'search for a person to erase': async ({ night: { database } }) => {
    const warehouse = connect({ url: database.url, poolSize: 1 })
    const scope = { account: REPORT_ACCOUNT, stream: sessionReports }
    const patterns = ['%nobody@example.com%']
    const found = await keysLike(warehouse.db, scope, { patterns, after: undefined, limit: 50_000 })
    await warehouse.close()
    if (found.length > 0) throw new Error('Nobody has that address')
  },
  'all rows out, and in again': (stage) =>
    bySql(stage, async (client) => {
      await client.query('begin')
      await client.query(
        `create temp table kept on commit drop as
         select * from svc.session_reports where account = '${REPORT_ACCOUNT}'`,
      )
      const out = await client.query(
        `delete from svc.session_reports where account = '${REPORT_ACCOUNT}'`,
      )
      const back = await client.query('insert into svc.session_reports select * from kept')
      await client.query('commit')
      if (out.rowCount === 0 || out.rowCount !== back.rowCount)
        throw new Error(`${out.rowCount} rows out and ${back.rowCount} in again`)
    }),
  'vacuum after that': (stage) =>
    bySql(stage, (client) => client.query('vacuum svc.session_reports')),
  'vacuum of an erasure': async ({ night: { database } }) => {
    const warehouse = connect({ url: database.url, poolSize: 1, statementTimeoutMs: 1_800_000 })
    await cleanTables(warehouse, [sessionReports])
    await warehouse.close()
  },
}

/** A vacuum after a night in which every account had so many rows changed. */
export async function vacuumOfAll(stage: GrowthStage): Promise<GrowthCost> {
  await bySql(stage, async (client) => {
    await client.query('set session_replication_role = replica')
    // Every twentieth row, so that a vacuum has to look at the indexes too.
    await client.query(
      `update svc.session_reports set _deleted_at = null, _changed_at = _changed_at
       where get_byte(_hash, 3) < 13`,
    )
    // After a checkpoint a page's first change is logged as the whole page: at each size, or at none.
    await client.query('checkpoint')
  })
  return await costOf(stage, (of) =>
    bySql(of, (client) => client.query('vacuum svc.session_reports')),
  )
}

export async function costOf(stage: GrowthStage, step: Step): Promise<GrowthCost> {
  const before = await doneBy(stage)
  await step(stage)
  await othersGone(stage)
  const after = await doneBy(stage)
  return { cpuMs: after.cpuMs - before.cpuMs, pages: after.pages - before.pages }
}

async function doneBy({ night, warehouse }: GrowthStage): Promise<GrowthCost> {
  const { cpuMs = Number.NaN } = await night.database.done()
  const pages = await warehouse.withClient(async (client) => {
    await client.query('select pg_stat_force_next_flush(), pg_stat_clear_snapshot()')
    const { rows } = await client.query<{ pages: number }>(
      `select (blks_hit + blks_read)::float8 as pages from pg_stat_database
       where datname = current_database()`,
    )
    return rows[0]?.pages ?? Number.NaN
  })
  return { cpuMs, pages }
}

/** Sessions count their pages when they end, which is a moment after their client closed them. */
async function othersGone({ warehouse }: GrowthStage): Promise<void> {
  for (;;) {
    const others = await warehouse.withClient(async (client) => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where backend_type = 'client backend'
           and application_name <> $1`,
        [WATCHING],
      )
      return rowCount
    })
    // Between its end and its parent's notice of it, the CPU of a process is counted nowhere.
    await systemClock.sleep(100)
    if (others === 0) return
  }
}

async function bySql(
  { night }: GrowthStage,
  work: (client: DatabaseClient) => Promise<unknown>,
): Promise<void> {
  const warehouse = connect({
    url: night.database.url,
    poolSize: 1,
    statementTimeoutMs: 1_800_000,
  })
  await warehouse.withClient(work)
  await warehouse.close()
}
