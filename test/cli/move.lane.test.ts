import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BLOCKS } from '../docs/pages.ts'
import { accountDigests } from '../helpers/account-digests.ts'
import { type MoveBench, openMoveBench } from './move-bench.ts'
import { logged, onlyJob } from './served.ts'
import type { Ended } from './workbench.ts'

let moving: MoveBench
beforeAll(async () => {
  moving = await openMoveBench()
}, 300_000)
afterAll(() => moving.close())

const configure: MoveBench['configure'] = (...of) => moving.configure(...of)
const run = (...args: string[]): Promise<Ended> => moving.run(...args)

/** The whole result of `verify`, which has no time of its own. */
async function verified(): Promise<{ code: number | null; account: unknown }> {
  const { code, stdout } = await run('verify', '--account', 'main', '--json')
  const { accounts } = JSON.parse(stdout) as { accounts: object[] }
  return { code, account: accounts[0] }
}

async function inventory(folder: string): Promise<string> {
  const out = join(moving.bench.folder, folder)
  const made = await run(
    'report',
    'number-inventory',
    '--account',
    'main',
    '-f',
    'csv',
    '-o',
    out,
    '--json',
  )
  const paths = [...made.stdout.matchAll(/"path": ?"([^"]+\.csv)"/g)].map(([, path = '']) => path)
  expect(paths).not.toHaveLength(0)
  return paths.map((path) => readFileSync(path, 'utf8')).join('\n')
}

describe('callsheet move', () => {
  it('must run before any other work on an account whose database setting was changed', async () => {
    configure('east')
    const hold = ['archive', 'hold', 'add', 'case-8', '--reason', 'court']
    for (const command of [
      ['sync', 'users'],
      ['report', 'number-inventory'],
      ['archive'],
      ['verify'],
      ['restored'],
      hold,
    ]) {
      const { code, stderr } = await run(...command, '--account', 'main')
      expect([command, code, stderr]).toEqual([
        command,
        2,
        expect.stringContaining('callsheet move main --from default'),
      ])
    }
    const status = await run('status', '--account', 'main')
    expect([status.code, status.stdout]).toEqual([1, expect.stringContaining('account_elsewhere')])
    expect((await run('sync', 'users', '--account', 'other')).code).toBe(0)
    expect(await accountDigests(moving.east, 'main')).toEqual({})
  })

  it('is refused while callsheet serve works on the account', async () => {
    configure('default', [
      'serve: {port: 0}',
      'logging: {level: info}',
      onlyJob('users', "'* * * * *'"),
    ])
    const machine = moving.begin(['serve'])
    await logged(machine, 'serving')
    const held = moving.home.transaction(async (tx) => {
      // The job waits for this lock with its lease.
      await sql`lock table callsheet.runs in exclusive mode`.execute(tx)
      await expect
        .poll(
          async () =>
            (
              await sql<{ holder: unknown }>`select holder from callsheet.leases
                where account = 'main' and holder is not null`.execute(moving.home.db)
            ).rows.length,
          { timeout: 90_000, interval: 200 },
        )
        .toBe(1)
      configure('east')
      const { code, stderr } = await run('move', 'main', '--from', 'default')
      expect([code, stderr]).toEqual([
        5,
        expect.stringContaining('has been working on this account'),
      ])
    })
    await held
    machine.child.kill('SIGTERM')
    await machine.ended
    expect(await accountDigests(moving.east, 'main')).toEqual({})
  }, 120_000)

  it('moves every row to the other server, and evidence, reports and syncs continue there', async () => {
    configure('default')
    const [before, other] = [await verified(), await accountDigests(moving.home, 'other')]
    const report = await inventory('before')
    const rows = await accountDigests(moving.home, 'main')
    for (const table of [
      'svc.users',
      'history.users',
      'callsheet.manifest',
      'callsheet.holds',
      'callsheet.suppressions',
      'callsheet.published_reports',
      'callsheet.files',
      'callsheet.tokens',
    ])
      expect([table, rows[table]]).toEqual([table, expect.any(String)])
    configure('east')
    const moved = await run('move', 'main', '--from', 'default')
    expect(moved).toMatchObject({ code: 0, stderr: '' })
    const shown = BLOCKS.find(
      ({ page, language }) => page === 'docs/scale.md' && language === 'console',
    )
    const plain = (text: string): string =>
      text.replace(/[\d,]+ rows of \d+ tables/, 'N rows').replaceAll('branch', 'main')
    expect(`$ callsheet move main --from default\n${plain(moved.stdout)}`).toBe(
      plain(shown?.text ?? 'no such block'),
    )
    expect(await accountDigests(moving.east, 'main')).toEqual(rows)
    expect(await accountDigests(moving.home, 'main')).toEqual({})
    expect(await accountDigests(moving.home, 'other')).toEqual(other)
    expect(before.code).toBe(0)
    expect(await verified()).toEqual(before)
    expect(await inventory('after')).toBe(report)
    const { code, stdout } = await run('sync', 'users', '--full', '--account', 'main', '--json')
    const [{ accounts }] = [JSON.parse(stdout) as { accounts: { runs: { tables: object }[] }[] }]
    const tables = Object.values(accounts[0]?.runs[0]?.tables ?? {})
    expect([code, tables.length > 0]).toEqual([0, true])
    for (const table of tables) expect(table).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
    const kept = await sql`select id from svc.users where id = ${moving.erased}`.execute(
      moving.east.db,
    )
    expect(kept.rows).toEqual([])
    expect((await run('verify', '--account', 'main')).code).toBe(0)
  }, 240_000)

  it('does nothing if repeated, names wrong arguments, and locks the first database', async () => {
    const again = await run('move', 'main', '--from', 'default', '--json')
    expect([again.code, JSON.parse(again.stdout)]).toEqual([
      0,
      { account: 'main', from: 'default', to: 'east', copied: null },
    ])
    configure('default')
    const { code, stderr } = await run('sync', 'users', '--account', 'main')
    expect([code, stderr]).toEqual([2, expect.stringContaining('moved to the database east')])
    for (const [args, text] of [
      [['main', '--from', 'default'], 'names the same database'],
      [['main', '--from', 'west'], 'one of default, east'],
      [['mains', '--from', 'east'], 'did you mean main'],
    ] as const) {
      const wrong = await run('move', ...args)
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(text)])
    }
  })
})
