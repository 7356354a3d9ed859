import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { breakService, openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
  bench.configure({ top: [USERS_ALONE] })
})
afterAll(() => bench.close())

const others = jobs.filter(({ name }) => name !== 'users')
const USERS_ALONE = `jobs: {${others.map(({ name }) => `${name}: never`).join(', ')}}`

interface Told {
  health: Health
  accounts: { account: string; health: Health }[]
}

interface Health {
  level: string
  causes: Record<'code' | 'account' | 'subject' | 'level' | 'since' | 'todo', string | null>[]
}

describe('callsheet status', () => {
  it('suggests the first sync if nothing was ever run, and exits with 0', async () => {
    const { code, stdout } = await bench.run('status')
    expect(stdout).toMatch(
      /^Account main\nAMBER job_overdue: No job of this account has ever run\. Since .* UTC\.\n {2}Start /m,
    )
    expect(code).toBe(0)
  })

  it('reports a healthy account, and lists the checks', async () => {
    await bench.run('sync', 'users')
    const { stdout } = await bench.run('status')
    const [first, second, third] = stdout.split('\n')
    expect([first, second]).toEqual(['Disk space: ok.', 'Account main'])
    expect(third).toMatch(/^Healthy\. Checked: jobs, .* notifications\.$/)
  })

  it('exits with 0 and without causes for a healthy account', async () => {
    const { code, stdout } = await bench.run('status', '--json')
    const { health, accounts } = JSON.parse(stdout) as Told
    expect(health).toEqual({ level: 'green', causes: [] })
    expect(accounts).toMatchObject([{ account: 'main', health: { level: 'green', causes: [] } }])
    expect(code).toBe(0)
  })

  it('exits with 1 while a cause is red, and shows its start and fix; then with 0', async () => {
    await breakService(bench.sandbox, [{ kind: 'empty-list', operation: 'users.list' }])
    expect((await bench.run('sync', 'users', '--full')).code).toBe(4)
    const { code, stdout } = await bench.run('status')
    expect(stdout).toMatch(
      /^RED drop_waiting: users: run \d+ did not find .* Since \d{4}-.* UTC\.\n {2}.*sync --approve \d+`$/m,
    )
    expect(code).toBe(1)
    const told = await bench.run('status', '--json')
    const { health, accounts } = JSON.parse(told.stdout) as Told
    expect(health).toEqual(accounts[0]?.health)
    expect(health.level).toBe('red')
    expect(health.causes[0]).toMatchObject({
      code: 'drop_waiting',
      account: 'main',
      subject: 'users',
      level: 'red',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect(told.code).toBe(1)
    await breakService(bench.sandbox, [])
    expect((await bench.run('sync', 'users', '--full')).code).toBe(0)
    expect(await bench.run('status')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('RED'),
    })
  })

  it('shows low disk space once, before the accounts', async () => {
    bench.configure({ top: [USERS_ALONE, 'health: {diskFreeGb: 100000}'] })
    const { stdout } = await bench.run('status')
    expect(stdout).toMatch(/^(AMBER|RED) disk_low: The disk of .*reports\.directory has \d+\.\d GB/)
    const { health, accounts } = JSON.parse((await bench.run('status', '--json')).stdout) as Told
    expect(health.causes).toMatchObject([{ code: 'disk_low', account: null }])
    expect(accounts[0]?.health.causes).toEqual([])
  })

  it('refuses an invalid schedule', async () => {
    bench.configure({ top: [USERS_ALONE.replace('{', "{users: '61 1 * * *', ")] })
    const { code, stderr } = await bench.run('status')
    expect(stderr).toContain('jobs.users: expected a cron expression')
    expect(code).toBe(2)
  })
})
