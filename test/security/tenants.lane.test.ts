import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { jobs, reports } from '../../src/account/catalog.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, type World } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)
const DAY = 86_400_000
let world: World
let out: string
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'callsheet-tenants-'))
  // Two apps of one company under two names: every ID of the one is an ID of the other.
  const accountId = 'the-same'
  world = await openWorld({ accounts: [{ accountId }, { accountId }], sizes: SMALL })
  await world.sync()
  await world.sync({ account: world.open(1) })
})
afterAll(async () => {
  await world.close()
  rmSync(out, { recursive: true })
})

it('two accounts with the same IDs each have all their own rows', async () => {
  for (const account of ['account-0', 'account-1'])
    await expectTruth(world.warehouse, world.sandbox, { account, accountId: 'the-same', streams })
  const { rows } = await sql<{ account: string; users: number }>`
    select account, count(*)::int as users from svc.users group by 1 order by 1`.execute(
    world.warehouse.db,
  )
  expect(rows).toEqual([
    { account: 'account-0', users: rows[1]?.users },
    { account: 'account-1', users: expect.any(Number) as number },
  ])
})

it('a sync of changes and deletions in one account affects no row or report of the other', async () => {
  const before = await everythingOf('account-1')
  const told = await reportsOf('account-1')
  expect(before.size).toBeGreaterThan(25)
  const changes = await world.mutate()
  expect(changes.users?.deleted).toBeGreaterThan(0)
  await world.sync({ full: true })
  await world.advance(2 * DAY)
  await world.sync({ full: true })
  const ended = await sql<{ n: number }>`select count(*)::int as n from history.users
    where account = 'account-0' and _end = 'deleted'`.execute(world.warehouse.db)
  expect(ended.rows[0]?.n).toBeGreaterThan(0)
  expect(await everythingOf('account-1')).toEqual(before)
  expect(await reportsOf('account-1')).toEqual(told)
})

it('after a sync of one account, a sync of the other finds the same changes there', async () => {
  const runs = await world.sync({ account: world.open(1), full: true })
  expect(runs.map(({ state }) => state)).toEqual(jobs.map(() => 'complete'))
  await expectTruth(world.warehouse, world.sandbox, {
    account: 'account-1',
    accountId: 'the-same',
    streams,
  })
})

/** A digest of what each table holds of an account. */
async function everythingOf(account: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'account'
    where n.nspname in ('callsheet', 'svc', 'history') and relkind in ('r', 'p') and not relispartition
      and c.relname not in ('published_reports', 'placed_files')`.execute(world.warehouse.db)
  const held = new Map<string, string>()
  for (const { name } of rows) {
    const digest = await sql<{ digest: string }>`
      select count(*) || ' ' || md5(coalesce(string_agg(t::text, '' order by t::text), '')) as digest
      from ${sql.table(name)} t where account = ${account}`.execute(world.warehouse.db)
    held.set(name, digest.rows[0]?.digest ?? '')
  }
  return held
}

async function reportsOf(account: string): Promise<string[]> {
  const digests: string[] = []
  const { rows } = await sql<{
    user: string
  }>`select user_id as user from svc.whiteboard_participants
    where account = ${account} and user_id <> '' order by session_id, user_id limit 1`.execute(
    world.warehouse.db,
  )
  const user = rows[0]?.user ?? ''
  for (const report of reports) {
    const params = { ...MONTH[report.name], ...('user' in report.params.shape ? { user } : {}) }
    const request = { report, account, params, formats: ['csv'] as const }
    const directory = join(out, account)
    const made = await publishReport(world.account.deps, { ...request, timeZone: 'UTC', directory })
    digests.push(...made.files.map(({ sha256 }) => sha256))
  }
  expect(digests.length).toBeGreaterThan(2)
  return digests
}

const SMALL = {
  users: 90,
  sessions: 90,
  whiteboards: 20,
  activities: 60,
  recordings: 40,
  numbers: 60,
}
const JUNE = { from: '2026-06-01', to: '2026-06-30' }
const MONTH: Record<string, Record<string, string>> = {
  'session-quality': { month: '2026-06' },
  'whiteboard-audit': JUNE,
  reconciliation: { day: '2026-07-08' },
}
