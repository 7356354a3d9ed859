import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proofBySecret, readRequests } from '../../src/erasure/sql/erasure-requests.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { linesOf, logged, NO_REPORTS, onlyJob } from './served.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const STATUS = 'serve: {port: 0}'
const LOG = 'logging: {level: info}'
const USERS = `timezone: Europe/Berlin\n${onlyJob('users')}`

describe('callsheet serve', () => {
  it('reads new streams right after its start, and stops on SIGTERM without an error', async () => {
    bench.configure({ top: [USERS, STATUS, LOG] })
    const started = bench.start('serve')
    const [{ url }] = await Promise.all([
      logged(started, 'serving'),
      logged(started, 'job ended', { job: 'users', status: 'done' }),
    ])
    expect(await textOf(`${String(url)}/livez`)).toEqual([200, 'alive\n'])
    expect(await textOf(`${String(url)}/readyz`)).toEqual([200, 'ready\n'])
    expect((await textOf(`${String(url)}/metrics`))[1]).toContain(
      'callsheet_stream_rows{account="main",stream="users"} 60',
    )
    expect((await textOf(String(url)))[1]).toContain('<a href="/accounts/main">main</a>')
    started.child.kill('SIGTERM')
    const { code, stdout, stderr } = await started.ended
    expect(code).toBe(143)
    expect(stdout).toBe('')
    const lines = linesOf(stderr)
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
    expect(lines.find(({ event }) => event === 'run ended')).toMatchObject({ state: 'complete' })
    expect(lines.filter(({ job }) => job === 'recordings')).toEqual([])
  })

  it('runs due jobs although an erasure fails, and logs the failure', async () => {
    const other = await openWorkbench()
    try {
      writeFileSync(join(other.folder, 'in-the-way'), '')
      other.configure({
        account: ['notificationSecrets: [told]'],
        top: [USERS, STATUS, LOG, 'archive: {files: false, directory: in-the-way}'],
      })
      const warehouse = connect({ url: other.databaseUrl })
      await sql`insert into callsheet.erasure_requests
        (account, subject, source, asked_at, requested_at, due_at)
        values ('main', 'user:nobody-1', 'command', now(), now(), now())`.execute(warehouse.db)
      for (const request of await readRequests(warehouse.db, 'main')) {
        const proof = proofBySecret('told', { ...request, account: 'main' })
        await sql`update callsheet.erasure_requests set proof = ${proof}`.execute(warehouse.db)
      }
      await warehouse.close()
      const started = other.start('serve', '--only', 'schedule')
      await logged(started, 'job ended', { job: 'users', status: 'done' })
      started.child.kill('SIGTERM')
      const { stderr } = await started.ended
      expect(linesOf(stderr).map(({ event }) => event)).toContain('erasure failed')
    } finally {
      await other.close()
    }
  })

  it('makes due reports after the streams that they need were read', async () => {
    const schedule = "schedule: '* * * * *'"
    bench.configure({
      top: [
        onlyJob('phone-numbers').replace('users: never, ', ''),
        STATUS,
        LOG,
        `reports: {formats: [csv], jobs: {number-inventory-report: {${schedule}}}}`,
      ],
    })
    const started = bench.start('serve')
    await logged(started, 'job ended', { job: 'number-inventory-report', status: 'done' })
    started.child.kill('SIGTERM')
    const lines = linesOf((await started.ended).stderr)
    const order = lines.filter(({ event }) => event === 'job ended').map(({ job }) => job)
    expect(order.indexOf('number-inventory-report')).toBeGreaterThan(order.indexOf('phone-numbers'))
    const made = readdirSync(join(bench.folder, 'out'))
    expect(made.some((name) => name.startsWith('main-number-inventory'))).toBe(true)
  })

  it('refuses to start without any scheduled job, and logs the error as JSON', async () => {
    bench.configure({ top: [onlyJob('users', 'never'), STATUS, NO_REPORTS] })
    const { code, stderr } = await bench.run('serve')
    expect(linesOf(stderr)).toMatchObject([
      { event: 'service failed', level: 'error', code: 'nothing_to_serve' },
    ])
    expect(stderr).toContain('no job has a schedule')
    expect(code).toBe(2)
  })

  it('shows only /livez to a request without the token', async () => {
    bench.configure({ top: [USERS, 'serve: {port: 0, token: env:STATUS_TOKEN}', LOG] })
    const environment = { STATUS_TOKEN: 'status-token-canary' }
    const started = bench.startWith({ environment }, 'serve')
    const { url } = await logged(started, 'serving')
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(`${String(url)}/nothing`, { headers })).status
    expect((await textOf(`${String(url)}/livez`))[0]).toBe(200)
    expect(await statusOf({})).toBe(401)
    expect(await statusOf({ authorization: 'Bearer status-token-canarx' })).toBe(401)
    expect(await statusOf({ authorization: 'Bearer status-token-canary' })).toBe(404)
    started.child.kill('SIGTERM')
    expect((await started.ended).stderr).not.toContain('canary')
  })

  it('does not serve the status to the network if no token is configured', async () => {
    bench.configure({ top: [USERS, 'serve: {host: 0.0.0.0}'] })
    const { code, stderr } = await bench.run('serve')
    expect(stderr).toContain('serve.token')
    expect(code).toBe(2)
  })
})

async function textOf(url: string): Promise<[status: number, text: string]> {
  const response = await fetch(url)
  return [response.status, await response.text()]
}
