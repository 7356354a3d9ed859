import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/core/time/time.ts'
import { addMonths } from '../../src/core/time/zone.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench({ accounts: [{}, {}] })
  const file = join(bench.folder, 'config.yaml')
  const first = readFileSync(file, 'utf8')
  const entry = first.slice(first.indexOf('  - name:'))
  const second = entry.replace('name: main', 'name: second').replace('acct-1', 'acct-2')
  const wrong = second.replace('client-1', 'client-2')
  writeFileSync(file, `${first}${wrong.replace('env:SECRET', 'env:KEY')}`)
})
afterAll(() => bench.close())

describe('for two accounts,', () => {
  it('sync reads one after the other, and a failure of one does not affect the other', async () => {
    const { code, stdout, stderr } = await bench.run(
      'sync',
      'users',
      'phone-numbers',
      'session-reports',
    )
    expect(stdout).toMatch(/Account main\n.*\nusers +60 /)
    expect(stderr).toContain('the client ID or the client secret is wrong')
    expect(code).toBe(1)
    const status = await bench.run('status', '--json')
    const { accounts } = JSON.parse(status.stdout) as {
      accounts: { account: string; jobs: { job: string; streams: { rows: number }[] }[] }[]
    }
    expect(accounts.map(({ account, jobs }) => [account, jobs[0]?.streams[0]?.rows])).toEqual([
      ['main', 60],
      ['second', 0],
    ])
  })

  it('sync continues to the second account if stdout is closed, and keeps its exit code', async () => {
    const { child, ended } = bench.start('sync', 'users')
    child.stdout?.destroy()
    const { code, stderr } = await ended
    expect(stderr).toContain('the client ID or the client secret is wrong')
    expect(code).toBe(1)
    const unread = bench.start('sync', 'users', '--account', 'main', '--verbose')
    unread.child.stdout?.destroy()
    unread.child.stderr?.destroy()
    expect(await unread.ended).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('report creates the report of the account that --account names', async () => {
    const { code, stdout } = await bench.run(
      'report',
      'number-inventory',
      '--account',
      'main',
      '--json',
    )
    expect(code).toBe(0)
    const { reports } = JSON.parse(stdout) as {
      reports: { account: string; covered: boolean; files: { path: string }[] }[]
    }
    expect(reports.map(({ account, covered }) => [account, covered])).toEqual([['main', true]])
    const paths = reports.flatMap(({ files }) => files.map(({ path }) => path))
    expect(paths.map((path) => path.split('.').pop())).toEqual(['xlsx', 'html'])
    expect(
      paths.every((path) => path.startsWith(join(bench.folder, 'out')) && existsSync(path)),
    ).toBe(true)
    const none = await bench.run('report', 'number-inventory', '--account', 'second')
    expect(none.stderr).toContain('then try again')
    expect(none.code).toBe(1)
  })

  it('report creates the report of one account, and fails for another that was never synced', async () => {
    const report = () => bench.run('report', 'number-inventory', '--json')
    const file = join(bench.folder, 'config.yaml')
    const usual = readFileSync(file, 'utf8')
    const [top = '', first = '', second = ''] = usual.split(/^(?= {2}- name: )/m)
    for (const [order, config] of [
      [['main', 'second'], usual],
      [['second', 'main'], top + second + first],
    ] as const) {
      writeFileSync(file, config)
      const { code, stdout, stderr } = await report()
      const { reports } = JSON.parse(stdout) as {
        reports: { account: string; files?: { path: string }[]; error?: { code: string } }[]
      }
      expect(reports.map(({ account }) => account)).toEqual(order)
      const of = (name: string) => reports.find(({ account }) => account === name)
      expect(of('main')?.files?.length).toBe(2)
      expect(of('second')?.error?.code).toBe('never_synced')
      expect(stderr).toContain('of the account second from the warehouse')
      expect(code).toBe(1)
    }
    writeFileSync(file, usual)
  })

  it('report accepts several months in one call, and refuses a month in the future', async () => {
    const months = ['--month', '2026-01', '--month', '2026-02']
    const made = await bench.run(
      'report',
      'session-quality',
      '--account',
      'main',
      ...months,
      '-f',
      'csv',
    )
    expect(made.stdout.match(/Session quality, account main/g)).toHaveLength(2)
    expect(made.stderr).toContain('session_reports of 2026-01 is not fully synced')
    expect(made.code).toBe(4)
    const later = await bench.run('report', 'session-quality', '--month', '2090-01')
    expect(later.stderr).toContain('is in the future')
    expect(later.code).toBe(2)
  })

  it('report exits with 4 for unread days, except in the current month', async () => {
    expect((await bench.run('sync', 'whiteboard-archives', '--account', 'main')).code).toBe(0)
    const today = new Date().toISOString().slice(0, 10)
    const month = today.slice(0, 7)
    const audit = (...days: string[]) =>
      bench.run('report', 'whiteboard-audit', '--account', 'main', '-f', 'csv', ...days)
    const wide = await audit('--from', `${addMonths(month, -12)}-01`, '--to', today)
    expect(wide.stderr).toContain('whiteboard_sessions')
    expect(wide.code).toBe(4)
    const running = await audit('--from', `${month}-01`, '--to', today)
    expect(running.stderr).toContain('read up to the last sync; the period has not ended yet')
    expect(running.code).toBe(0)
    expect((await audit('--month', month)).code).toBe(0)
  })

  it('report warns about an unknown user, and still exits with 0', async () => {
    const today = new Date().toISOString().slice(0, 10)
    const scope = ['--account', 'main', '--from', today, '--to', today, '--user', 'nobody']
    const unknown =
      'Nobody with the ID or e-mail address nobody was found in the data. Check --user.'
    const made = await bench.run('report', 'whiteboard-audit', ...scope, '-f', 'csv', '--json')
    expect(made.stderr).toContain(`warning: ${unknown}`)
    expect(JSON.parse(made.stdout)).toMatchObject({ reports: [{ warnings: [unknown] }] })
    expect(made.code).toBe(0)
  })

  it('report exits with 0 if only today is unread, but not if days of past syncs are', async () => {
    const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
    const audit = (from: string, to: string) =>
      bench.run('report', 'whiteboard-audit', '--account', 'main', '--from', from, '--to', to)
    const future = await audit(day(-1), day(-2))
    expect(future.stderr).toMatch(/is in the future\n +what to do: +choose a first day up to /)
    expect(future.code).toBe(2)
    // Three days ago is before the last nightly sync at any hour of the day.
    const days = [day(3), day(0)] as const
    expect((await audit(...days)).code).toBe(0)
    // Simulates that nothing was synced for ten days.
    const warehouse = connect({ url: bench.databaseUrl })
    await sql`update callsheet.slices set requested_at = requested_at - interval '10 days'`.execute(
      warehouse.db,
    )
    await warehouse.close()
    expect((await audit(...days)).code).toBe(4)
  })
})
