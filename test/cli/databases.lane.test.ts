import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { freePort } from '../helpers/free-port.ts'
import { startStallingProxy } from '../helpers/stalling-proxy.ts'
import { linesOf, logged, NO_REPORTS, onlyJob } from './served.ts'
import { type Ended, openWorkbench, type Started, type Workbench } from './workbench.ts'

/** Account main is in the database of `database`, account other in the one named east. */
let bench: Workbench
let east: TestDatabase
beforeAll(async () => {
  bench = await openWorkbench()
  east = await testDatabase()
})
afterAll(async () => {
  await bench.close()
  await east.drop()
})

function configure(top: readonly string[] = []): void {
  bench.configure({ top: ['databases: {east: {url: env:EAST}}', ...top] })
  const { baseUrl, authUrl } = bench.sandbox
  const other = [
    '  - name: other',
    '    database: east',
    `    baseUrl: ${baseUrl}`,
    `    authUrl: ${authUrl}`,
    '    accountId: acct-1',
    '    clientId: client-1',
    '    clientSecret: env:SECRET',
    '    quotas: {LIGHT: {perSecond: 900}, MEDIUM: {perSecond: 900}}',
  ]
  appendFileSync(join(bench.folder, 'config.yaml'), `${other.join('\n')}\n`)
}

const begin = (args: readonly string[], url = east.url): Started =>
  bench.startWith({ environment: { EAST: url } }, ...args)
const run = (...args: string[]): Promise<Ended> => begin(args).ended

async function accountsIn(url: string, table: 'svc.users' | 'callsheet.runs'): Promise<string[]> {
  const warehouse = connect({ url, poolSize: 1 })
  try {
    const { rows } = await sql<{ account: string }>`
      select distinct account from ${sql.table(table)} order by 1`.execute(warehouse.db)
    return rows.map(({ account }) => account)
  } finally {
    await warehouse.close()
  }
}

describe('accounts in two databases', () => {
  it('have their rows and runs each in their own', async () => {
    configure()
    const { code, stdout } = await run('sync', 'users', '--json')
    expect(code).toBe(0)
    const databases = JSON.parse(stdout) as object[]
    expect(databases).toMatchObject([
      { database: 'default', result: { accounts: [{ account: 'main' }] } },
      { database: 'east', result: { accounts: [{ account: 'other' }] } },
    ])
    for (const table of ['svc.users', 'callsheet.runs'] as const)
      expect([
        await accountsIn(bench.databaseUrl, table),
        await accountsIn(east.url, table),
      ]).toEqual([['main'], ['other']])
    const status = await run('status')
    expect(status.stdout).toMatch(
      /^Database default\n[\s\S]*Account main[\s\S]*\nDatabase east\n[\s\S]*Account other/,
    )
    expect(status.stdout.match(/^Account /gm)).toHaveLength(2)
  })

  it('are chosen by --account; a command for one database names them if none is chosen', async () => {
    configure()
    const { code, stdout } = await run('verify', '--account', 'other', '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { accounts: [{ account: 'other' }] }])
    for (const command of [['runs', '1'], ['sync', '--approve', '1'], ['psql', '--url'], ['mcp']]) {
      const ended = await run(...command)
      expect([ended.code, ended.stderr]).toEqual([
        2,
        expect.stringContaining('the accounts are in several databases: default, east'),
      ])
    }
    const url = await run('psql', '--url', '--database', 'east')
    expect(url.stdout).toContain(new URL(east.url).pathname)
    const unknown = await run('psql', '--url', '--database', 'eats')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('east')])
  })

  it('are synced even if another’s database is unavailable, and sync exits with an error', async () => {
    configure()
    const nowhere = `postgresql://nobody@127.0.0.1:${await freePort()}/none`
    const { code, stdout, stderr } = await begin(['sync', 'users', '--json'], nowhere).ended
    expect(JSON.parse(stdout)).toMatchObject([
      { database: 'default', result: { accounts: [{ account: 'main' }] } },
      { database: 'east', result: { error: {} } },
    ])
    expect(stderr).toContain('ECONNREFUSED')
    expect(code).not.toBe(0)
  })

  it('are not synced into another database that takes the place of theirs', async () => {
    configure(['database: {url: env:EAST}'])
    const { code, stderr } = await run('sync', 'users', '--account', 'main')
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('restored')])
    expect(code).not.toBe(0)
    expect(await accountsIn(east.url, 'svc.users')).toEqual(['other'])
  })

  it('are named by doctor if their rows are in another database than the configured one', async () => {
    configure()
    expect((await run('doctor')).stdout).not.toContain('its rows are in the database')
    bench.configure({ top: ['databases: {east: {url: env:EAST}}'], account: ['database: east'] })
    expect((await run('doctor')).stdout).toMatch(
      /^failed .*its rows are in the database default.*\n.*callsheet move main --from default/m,
    )
  })

  it('are served by one process, which names those whose database is unavailable', async () => {
    configure(['serve: {port: 0}', 'logging: {level: info}', NO_REPORTS, onlyJob('phone-numbers')])
    const port = await freePort()
    const away = new URL(east.url)
    away.host = `127.0.0.1:${port}`
    const machine = begin(['serve'], away.href)
    const ended = (account: string) =>
      logged(machine, 'job ended', { account, job: 'phone-numbers' })
    const others = ended('other')
    const [{ url }] = await Promise.all([logged(machine, 'serving'), ended('main')])
    const page = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`${String(url)}${path}`)
      return [response.status, await response.text()]
    }
    expect(await page('/readyz')).toEqual([503, 'waiting for the database\n'])
    const [, overview] = await page('/')
    expect(overview).toContain('Not shown, because their database has not answered: other.')
    expect(overview).toContain('/accounts/main')
    const [, away1] = await page('/metrics')
    expect(away1).toMatch(/^callsheet_ready 0$/m)
    expect((await page('/runs'))[0]).toBe(503)
    const proxy = await startStallingProxy(east.url, port)
    try {
      await others
      expect(await page('/readyz')).toEqual([200, 'ready\n'])
      expect((await page('/accounts/other'))[0]).toBe(200)
      const [, runs] = await page('/runs')
      expect(runs).toContain('/accounts/main/runs/')
      expect(runs).toContain('/accounts/other/runs/')
      const [, metrics] = await page('/metrics')
      expect(metrics).toMatch(/^callsheet_ready 1$/m)
    } finally {
      machine.child.kill('SIGTERM')
      const { code, stderr } = await machine.ended
      await proxy.close()
      expect(code).toBe(143)
      const errors = linesOf(stderr).filter(({ level }) => level === 'error')
      // The page of all runs, which failed while a database was away.
      expect(errors.map(({ event }) => event)).toEqual(['status failed'])
    }
  })
})
