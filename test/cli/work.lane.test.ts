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
const HURRIED = 'work: {lookSeconds: 1, pollSeconds: 1}'
const USERS = onlyJob('users').replace('phone-numbers: {enabled: false}', 'phone-numbers: {}')

describe('callsheet work', () => {
  it('does what is due once on all machines, and ends at SIGTERM without an error', async () => {
    bench.configure({ top: [USERS, STATUS, LOG, NO_REPORTS, HURRIED] })
    const machines = [bench.start('work'), bench.start('work')]
    const [{ url }] = await Promise.all([
      logged(machines[0]!, 'serving'),
      ...machines.map((machine) => logged(machine, 'work started')),
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

  it('refuses to begin beside a machine with another key, whose secret it does not tell', async () => {
    bench.configure({ top: [USERS, STATUS, LOG, HURRIED, `tokenKey: ${'cd'.repeat(32)}`] })
    await standBy({ host: 'elsewhere' })
    const { code, stderr } = await bench.run('work')
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

  it('does not mind a machine that was not seen for long', async () => {
    bench.configure({ top: [USERS, STATUS, LOG, HURRIED] })
    await standBy({ host: 'long-gone', minutesAgo: 10 })
    const started = bench.start('work')
    await logged(started, 'work started')
    started.child.kill('SIGTERM')
    expect((await started.ended).code).toBe(143)
  })

  it('wants a database that others reach', async () => {
    bench.configure({ top: [USERS, STATUS, LOG, 'database: {}'] })
    const { code, stderr } = await bench.run('work')
    expect(stderr).toContain('database_not_shared')
    expect(code).toBe(2)
  })
})

async function standBy({ host, minutesAgo = 0 }: { host: string; minutesAgo?: number }) {
  await sql`insert into callsheet.machines (host, pid, started_at, seen_at, token_key, store, store_is_folder)
    values (${host}, 1, now(), now() - make_interval(mins => ${minutesAgo}), 'other', 'other', true)`.execute(
    warehouse.db,
  )
}
