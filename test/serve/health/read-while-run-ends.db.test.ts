import { type KyselyPlugin, sql } from 'kysely'
import { expect, it } from 'vitest'
import { judgeHealth } from '../../../src/serve/health/judge.ts'
import { readFacts } from '../../../src/serve/health/read-facts.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

it.each([1, 2])(
  'a job is not alerted about if its run ends after query %i of the health check',
  async (reads) => {
    const account = `account-${reads}`
    const nowMs = await beginRun(account)
    const facts = await readFacts(endingRun(account, reads), {
      account,
      settings: { graceHours: 3, diskFreeGb: 5 },
      jobs: { users: { schedule: '0 1 * * *', timezone: 'UTC' } },
      fileJobs: [],
      // The machine slept when the job was due, and started the run when it woke.
      awakeMs: nowMs - 1,
      loginKind: undefined,
      keepsEvidence: false,
      hearsNotifications: false,
      works: [],
    })
    const causes = judgeHealth({ ...facts, archive: undefined, quotas: [] }, nowMs)
    expect(causes).toMatchObject([{ code: 'job_overdue', quiet: 'untried' }])
    expect(await stateOf(account)).toBe('complete')
  },
)

/** Inserts a complete run of two days ago and a running one. */
async function beginRun(account: string): Promise<number> {
  const started = sql<string>`callsheet.clock() - interval '2 days'`
  await sql`insert into callsheet.runs (account, job, epoch, state, started_at, finished_at) values
    (${account}, 'users', 1, 'complete', ${started}, ${started}),
    (${account}, 'users', 2, 'running', callsheet.clock(), null)`.execute(warehouse.db)
  await sql`insert into callsheet.leases (account, epoch, holder, expires_at)
    values (${account}, 2, '{}', callsheet.wall() + interval '1 hour')`.execute(warehouse.db)
  const { rows } = await sql<{ at: string }>`select callsheet.clock() as at`.execute(warehouse.db)
  return Date.parse(rows[0]?.at ?? '')
}

/** A warehouse that ends the run after this many queries, as another process may. */
function endingRun(account: string, reads: number): Warehouse {
  let done = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++done === reads) await endRun(account)
      return result
    },
  }
  return {
    ...warehouse,
    db: warehouse.db.withPlugin(plugin),
    transaction: (work, options) =>
      warehouse.transaction((tx, client) => work(tx.withPlugin(plugin), client), options),
  }
}

async function endRun(account: string): Promise<void> {
  const { apart } = warehouse
  const end = { state: 'complete', finished_at: sql<string>`callsheet.clock()` } as const
  const running = apart.updateTable('callsheet.runs').set(end).where('account', '=', account)
  await running.where('state', '=', 'running').execute()
  await apart.deleteFrom('callsheet.leases').where('account', '=', account).execute()
}

async function stateOf(account: string): Promise<string | undefined> {
  const runs = warehouse.db.selectFrom('callsheet.runs').select('state')
  const last = await runs.where('account', '=', account).orderBy('id', 'desc').executeTakeFirst()
  return last?.state
}
