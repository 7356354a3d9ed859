import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { endCall } from '../../../src/apply/write-log.ts'
import { accountOfRun } from '../../../src/cli/frame/account-of-run.ts'
import { closeRequests } from '../../../src/erasure/sql/closed-requests.ts'
import { beginRequest, finishRequest } from '../../../src/erasure/sql/erasure-requests.ts'
import { lastAt, markFiles } from '../../../src/report/published-reports.ts'
import { readSourceRuns } from '../../../src/report/source-runs.ts'
import { accountsOfRun, readRun, readRuns } from '../../../src/serve/health/read-runs.ts'
import { endTask } from '../../../src/serve/ledger/task-runs.ts'
import { accountsHolding } from '../../../src/sync/ledger/deletion-guard.ts'
import type { Transaction, Warehouse } from '../../../src/warehouse/connect.ts'
import { acquireLease } from '../../../src/warehouse/ledger/lease.ts'
import { closeRun } from '../../../src/warehouse/ledger/runs.ts'
import { useWarehouse } from '../../helpers/database.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

/** Two accounts whose rows have the same numbers, as after a move from another database. */
let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

const AT = { north: '2026-07-01T00:00:00Z', south: '2026-07-02T00:00:00Z' }
const TABLES = ['runs', 'calls', 'erasure_requests', 'published_reports', 'task_runs'] as const
const NUMBER = 7

beforeEach(async () => {
  for (const table of [...TABLES, 'deletion_guards'])
    await sql`delete from ${sql.table(`callsheet.${table}`)}`.execute(warehouse.db)
  for (const [account, at] of Object.entries(AT)) {
    const file = JSON.stringify([{ path: '/reports/a.xlsx', bytes: 1, sha256: account }])
    for (const row of [
      sql`runs (id, account, job, epoch, state, started_at, finished_at)
        overriding system value values (7, ${account}, 'users', 1, 'running', ${at}, ${at})`,
      sql`calls (id, account, operation, asked_by, arguments, asked_at, state)
        overriding system value values (7, ${account}, 'users.list', 'ann', '{}', ${at}, 'open')`,
      sql`erasure_requests (id, account, subject, source, asked_at, requested_at, due_at)
        overriding system value values (7, ${account}, 'user:u', 'command', ${at}, ${at}, ${at})`,
      sql`published_reports (id, account, report, params, as_of, run_ids, published_at, files)
        overriding system value values (7, ${account}, 'users', '{}', ${at}, '{7}', ${at}, ${file})`,
      sql`task_runs (id, account, task, due_at, state, started_at, detail)
        overriding system value values (7, ${account}, 'verify', ${at}, 'running', ${at}, '{}')`,
      sql`deletion_guards (account, stream, run_id, missing, owned, at)
        values (${account}, 'users', 7, 5, 9, ${at})`,
    ])
      await sql`insert into callsheet.${row}`.execute(warehouse.db)
  }
})

async function rowsOf(account: string): Promise<unknown[]> {
  const rows = TABLES.map((table) =>
    sql`select to_jsonb(t) as row from ${sql.table(`callsheet.${table}`)} t
      where account = ${account}`.execute(warehouse.db),
  )
  return (await Promise.all(rows)).flatMap((found) => found.rows)
}

const inside = (work: (tx: Transaction) => Promise<unknown>): Promise<unknown> =>
  warehouse.transaction(work)
const south = { account: 'south', id: NUMBER }
const outcome = { erased: {}, kept: {}, leftBehind: {}, open: false }

describe('a write for one account changes nothing of another account with the same number:', () => {
  it.each<[string, () => Promise<unknown>]>([
    [
      'the end of a run',
      async () => {
        const clock = manualClock(0)
        const lease = await acquireLease(warehouse, { account: 'south', job: 'users', clock })
        const end = { state: 'complete', planned: {}, summary: {}, error: undefined } as const
        await closeRun(warehouse, { id: NUMBER, lease }, end)
        await lease.release()
      },
    ],
    ['the end of a call', () => endCall(warehouse, south, { state: 'done' })],
    [
      'the end of a task',
      () =>
        endTask(warehouse, south, { state: 'complete', ending: {}, detail: {}, error: undefined }),
    ],
    ['the start of an erasure', () => inside((tx) => beginRequest(tx, south))],
    ['the end of an erasure', () => inside((tx) => finishRequest(tx, south, outcome))],
    ['a readmission', () => inside((tx) => closeRequests(tx, 'south', [NUMBER]))],
    [
      'the erasure of a report file',
      () => inside((tx) => markFiles(tx, south, new Map([['/reports/a.xlsx', { erased: true }]]))),
    ],
  ])('%s', async (_what, end) => {
    const [north, own] = [await rowsOf('north'), await rowsOf('south')]
    await end()
    expect(await rowsOf('north')).toEqual(north)
    expect(await rowsOf('south')).not.toEqual(own)
  })
})

describe('a number that two accounts have', () => {
  it('is looked up together with the account', async () => {
    for (const account of ['north', 'south'])
      expect((await readRun(warehouse, { account, id: NUMBER }))?.run.account).toBe(account)
    expect(await readSourceRuns(warehouse.db, 'south', [NUMBER])).toMatchObject([
      { id: NUMBER, finishedAt: AT.south },
    ])
  })

  it('needs --account, and the error lists the commands to choose from', async () => {
    const accounts = await accountsOfRun(warehouse, NUMBER)
    expect(accounts).toEqual(['north', 'south'])
    expect(await accountsHolding(warehouse, NUMBER)).toEqual(accounts)
    expect(() => accountOfRun(accounts, { run: NUMBER, command: 'runs 7' })).toThrow(
      'run one of these: callsheet runs 7 --account north; callsheet runs 7 --account south',
    )
    expect(accountOfRun(['south'], { run: NUMBER, command: 'runs 7' })).toBe('south')
    expect(accountOfRun([], { run: NUMBER, command: 'runs 7' })).toBeUndefined()
  })

  it('does not order lists of several accounts, which are sorted by time', async () => {
    const runs = await readRuns(warehouse, { accounts: undefined, limit: 9 })
    expect(runs.map(({ account }) => account)).toEqual(['south', 'north'])
    const [last] = runs
    const older = await readRuns(warehouse, { accounts: undefined, before: last, limit: 9 })
    expect(older.map(({ account }) => account)).toEqual(['north'])
    expect((await lastAt(warehouse.db, ['/reports/a.xlsx'])).get('/reports/a.xlsx')).toEqual(south)
  })
})
