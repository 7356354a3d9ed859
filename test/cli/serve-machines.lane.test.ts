import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { linesOf, logged, NO_REPORTS, onlyJob } from './served.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
let warehouse: Warehouse
beforeAll(async () => {
  bench = await openWorkbench()
  warehouse = connect({ url: bench.databaseUrl, poolSize: 2 })
})
afterAll(async () => {
  await warehouse.close()
  await bench.close()
})

const STATUS = 'serve: {port: 0}'
const LOG = 'logging: {level: info}'
const USERS = onlyJob('users').replace('phone-numbers: never, ', '')

describe('callsheet serve on several machines', () => {
  it('runs each due job on only one machine, and ends on SIGTERM without an error', async () => {
    bench.configure({ top: [USERS, STATUS, LOG, NO_REPORTS] })
    const machines = [bench.start('serve'), bench.start('serve')]
    const [{ url }] = await Promise.all([
      logged(machines[0]!, 'serving'),
      ...machines.map((machine) => logged(machine, 'service started')),
      ...['users', 'phone-numbers'].map((job) =>
        Promise.any(
          machines.map((machine) => logged(machine, 'job ended', { job, status: 'done' })),
        ),
      ),
    ])
    expect((await fetch(`${String(url)}/readyz`)).status).toBe(200)
    for (const { child } of machines) child.kill('SIGTERM')
    const ended = await Promise.all(machines.map((machine) => machine.ended))
    expect(ended.map(({ code }) => code)).toEqual([143, 143])
    const lines = ended.flatMap(({ stderr }) => linesOf(stderr))
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
    const { rows } = await sql<{ job: string; state: string }>`
      select job, state from callsheet.runs order by 1`.execute(warehouse.db)
    expect(rows).toEqual([
      { job: 'phone-numbers', state: 'complete' },
      { job: 'users', state: 'complete' },
    ])
    const { rows: left } = await sql`select host from callsheet.machines`.execute(warehouse.db)
    expect(left).toEqual([])
  })

  it('refuses to start beside a machine with another token key, without printing the key', async () => {
    bench.configure({ top: [USERS, STATUS, LOG, `tokenKey: ${'cd'.repeat(32)}`] })
    await standBy({ host: 'elsewhere' })
    const { code, stderr } = await bench.run('serve')
    expect(linesOf(stderr)).toContainEqual(
      expect.objectContaining({ event: 'service failed', code: 'machines_differ' }),
    )
    expect(stderr).toContain('elsewhere has another token key')
    expect(stderr).toContain('set tokenKey to the same secret on every machine')
    expect(stderr).not.toContain('cdcd')
    expect(code).toBe(2)
    const { stdout, code: examined } = await bench.run('doctor', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ healthy: false })
    expect(stdout).toContain('elsewhere has another token key')
    expect(examined).toBe(1)
    await sql`delete from callsheet.machines`.execute(warehouse.db)
  })

  it('ignores a machine that was last seen ten minutes ago', async () => {
    bench.configure({ top: [USERS, STATUS, LOG] })
    await standBy({ host: 'long-gone', minutesAgo: 10 })
    const started = bench.start('serve')
    await logged(started, 'service started')
    started.child.kill('SIGTERM')
    expect((await started.ended).code).toBe(143)
  })
})

it('callsheet serve can run its jobs from the queue of an embedded server', async () => {
  const own = await openWorkbench()
  try {
    own.configure({ top: [USERS, STATUS, LOG, NO_REPORTS, 'database: {}'] })
    const started = own.start('serve')
    await Promise.all(
      ['users', 'phone-numbers'].map((job) =>
        logged(started, 'job ended', { job, status: 'done' }),
      ),
    )
    const fromMs = performance.now()
    started.child.kill('SIGTERM')
    const { code, stderr } = await started.ended
    expect(code).toBe(143)
    expect(performance.now() - fromMs).toBeLessThan(10_000)
    expect(linesOf(stderr).filter(({ level }) => level !== 'info')).toEqual([])
  } finally {
    await own.close()
  }
})

async function standBy({ host, minutesAgo = 0 }: { host: string; minutesAgo?: number }) {
  await sql`insert into callsheet.machines (host, pid, started_at, seen_at, token_key, store, store_is_folder,
      policies)
    values (${host}, 1, now(), now() - make_interval(mins => ${minutesAgo}), 'other', 'other', true,
      '{}')`.execute(warehouse.db)
}
