import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/time/clock.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { breakService, openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench({ accounts: [{}, { scopes: ['whiteboard_content:read:admin'] }] })
})
afterAll(() => bench.close())
beforeEach(async () => {
  bench.configure()
  await breakService(bench.sandbox, [])
})

describe('a sync', () => {
  it('reads the account and reports the changes; a second sync reports none', async () => {
    const first = await bench.run('sync', 'users')
    expect(first.stdout).toMatch(/users +60 +0 +0 +0 +60 +4\/4/)
    expect(first.code).toBe(0)
    const { stdout, code } = await bench.run('sync', 'users', '--json')
    expect(code).toBe(0)
    const [account] = (JSON.parse(stdout) as { accounts: { runs: object[] }[] }).accounts
    expect(account?.runs).toMatchObject([
      {
        job: 'users',
        state: 'complete',
        tables: { users: { inserted: 0, updated: 0, unchanged: 60 } },
      },
    ])
  })

  it('appears in status, runs and plan', async () => {
    const status = await bench.run('status')
    expect(status.stdout).toMatch(/users +users +60 +4 +0 +0 +\S+ s ago +#\d+ complete/)
    const runs = await bench.run('runs', '--json')
    const [latest] = (JSON.parse(runs.stdout) as { runs: { id: number }[] }).runs
    const one = await bench.run('runs', String(latest?.id))
    expect(one.stdout).toMatch(/users +status=active +complete/)
    const plan = await bench.run('plan', 'users')
    expect(plan.stdout).toMatch(/users +users +4 +4 +MEDIUM/)
    expect(plan.stdout).toMatch(/^This sync: 4 calls, [\d.]+ s; it would end at /m)
    for (const { code, stderr } of [status, runs, one, plan])
      expect([code, stderr]).toEqual([0, ''])
  })

  it('of a few days reads their windows again, as planned, and its run is partial', async () => {
    const day = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10)
    const days = ['session-reports', '--from', day, '--to', day]
    await bench.run('sync', 'session-reports')
    const plan = await bench.run('plan', ...days)
    expect(plan.stdout).toMatch(/^session-reports +session_reports +3 +\d+ +RESOURCE-INTENSIVE$/m)
    const sync = await bench.run('sync', ...days)
    expect(sync.code).toBe(0)
    expect(sync.stdout).toMatch(/^session_reports .* 3\/3 +\d+ +complete$/m)
    const { stdout } = await bench.run('runs', '--limit', '1', '--json')
    const [{ id, partial } = {}] = (JSON.parse(stdout) as { runs: Record<string, unknown>[] }).runs
    expect(partial).toBe(true)
    const one = await bench.run('runs', String(id))
    expect(one.stdout).toMatch(/^job +session-reports \(partial\)$/m)
    expect(one.stdout).toMatch(new RegExp(`^days +${day} to ${day}$`, 'm'))
    const status = await bench.run('status')
    expect(status.stdout).toMatch(/session-reports .*\(partial\), \S+ s; complete \S+ s ago/)
  })
})

describe('a failure is reported once, with its exit code:', () => {
  it.each([
    ['an unknown job', ['userz'], 2, 'did you mean users?'],
    ['an unknown account', ['users', '--account', 'mian'], 2, 'did you mean main?'],
    [
      'a run with nothing to approve',
      ['users', '--approve', '999'],
      2,
      'no deletions that wait for approval',
    ],
    [
      'a stream of another job',
      ['users', '--stream', 'whiteboards'],
      2,
      'name the job whiteboards',
    ],
    ['a stream without a job', ['--stream', 'users'], 2, 'the command names no job'],
    [
      'days of all data',
      ['users', '--full', '--from', '2026-06-01'],
      2,
      'cannot be used with option',
    ],
  ])('%s', async (_name, args, expected, message) => {
    const { code, stderr } = await bench.run('sync', ...args)
    expect(stderr).toContain(message)
    expect(code).toBe(expected)
  })

  it('a wrong secret', async () => {
    // Uses another client, because the stored token of the configured one would still work.
    bench.configure({ account: ['clientId: client-3', 'clientSecret: env:KEY'] })
    const { code, stderr } = await bench.run('sync', 'users')
    expect(stderr).toContain('the client ID or the client secret is wrong')
    expect(stderr).not.toContain('video-secret-1')
    expect(stderr.match(/error:/g)).toHaveLength(1)
    expect(code).toBe(1)
  })

  it('a secret that is not set', async () => {
    bench.configure({ account: ['clientSecret: env:NOT_SET'] })
    const { code, stderr } = await bench.run('sync', 'users')
    expect(stderr).toMatch(/config\.yaml:\d+:\d+ .*environment variable NOT_SET is not set/)
    expect(code).toBe(2)
  })

  it('a database that is down', async () => {
    bench.configure({ top: ['database: {url: "postgresql://me:hunter2@127.0.0.1:1/x"}'] })
    const { code, stderr } = await bench.run('sync', 'users')
    expect(stderr).toMatch(/error: Connecting to the database at 127\.0\.0\.1:1/)
    expect(stderr).not.toContain('hunter2')
    expect(code).toBe(1)
  })

  it('a read-only database', async () => {
    const { pathname } = new URL(bench.databaseUrl)
    const setting = `alter database ${pathname.slice(1)} set default_transaction_read_only`
    await execute(`${setting} = on`)
    const { code, stderr } = await bench.run('sync', 'users')
    await execute(`set transaction_read_only = off; ${setting} = off`)
    expect(stderr).toMatch(/error: .*read-only/)
    expect(stderr.match(/error:/g)).toHaveLength(1)
    expect(code).toBe(1)
  })

  it('a missing scope, by its name, while the other jobs are read', async () => {
    bench.configure({ account: SCOPELESS })
    const { code, stderr, stdout } = await bench.run('sync', 'users', 'whiteboard-archives')
    expect(stderr).toContain('user:read')
    expect(stdout).toMatch(/whiteboard_sessions .* complete\n/)
    expect(stdout).toMatch(/users .* incomplete\n/)
    expect(code).toBe(4)
    expect((await bench.run('sync', 'users')).code).toBe(4)
  })

  it('an account that another process syncs', async () => {
    const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
    const lease = await acquireLease(warehouse, {
      account: 'main',
      job: 'test',
      clock: systemClock,
    })
    const { code, stderr } = await bench.run('sync', 'users')
    await lease.release()
    await warehouse.close()
    expect(stderr).toMatch(/error: .*\n/)
    expect(code).toBe(5)
  })

  it('a quota that is exhausted for the day (as paused)', async () => {
    bench.configure({ account: ['quotas: {MEDIUM: {perSecond: 100, perDay: 2}}'] })
    const { code, stdout, stderr } = await bench.run('sync', 'users')
    expect(stdout).toContain('paused')
    // Calls that wait for the quota are not logged as failed.
    expect(stderr).not.toContain('api.failed')
    expect(code).toBe(3)
  })
})

describe('a list that is suddenly empty', () => {
  it('deletes nothing, and names the run number that the approval accepts', async () => {
    await bench.run('sync', 'users')
    await breakService(bench.sandbox, [{ kind: 'empty-list', operation: 'users.list' }])
    const { code, stderr } = await bench.run('sync', 'users')
    const [, run = ''] = /60 of 60 rows are missing.*sync --approve (\d+)/.exec(stderr) ?? []
    expect(code).toBe(4)
    expect((await bench.run('status')).stdout).toContain(`sync --approve ${run}`)
    await breakService(bench.sandbox, [])
    const released = await bench.run('sync', 'users', '--approve', run)
    expect(released.stdout).toMatch(/users +0 +0 +60 +0 +60/)
    expect(released.code).toBe(0)
  })
})

describe('the signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s ends a sync within ten seconds, with exit code %i and a closed run',
    async (name, expected) => {
      await breakService(bench.sandbox, [{ kind: 'slow', delayMs: 20_000 }])
      const { child, ended } = bench.start('sync', 'users', '--full', '--json')
      await calls(bench)
      child.kill(name)
      const startedMs = performance.now()
      const { code, stdout, stderr } = await ended
      expect(code).toBe(expected)
      expect(stderr).toContain(`${name}: stopping safely`)
      expect(performance.now() - startedMs).toBeLessThan(10_000)
      const error = { code: 'interrupted', came: `stopped by ${name}` }
      // The rows of earlier syncs exist but were not counted, so the number is null instead of 0.
      const tables = { users: { present: null } }
      expect(JSON.parse(stdout)).toMatchObject({ accounts: [{ runs: [{ error, tables }] }] })
      const runs = await bench.run('runs', '--limit', '1')
      expect(runs.stdout).toContain('interrupted')
    },
  )
})

async function execute(statements: string): Promise<void> {
  const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
  try {
    await warehouse.withClient((client) => client.query(statements))
  } finally {
    await warehouse.close()
  }
}

/** Waits until the sandbox has begun to answer a call of the started sync. */
async function calls({ sandbox }: Workbench): Promise<void> {
  const begun = (): number => sandbox.stats().faults.slow ?? 0
  const before = begun()
  for (let turn = 0; turn < 100 && begun() === before; turn++)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

/** The sandbox's second app, which lacks the scopes for users. */
const SCOPELESS = [
  'name: second',
  'accountId: acct-2',
  'clientId: client-2',
  'clientSecret: client-secret-2',
]
