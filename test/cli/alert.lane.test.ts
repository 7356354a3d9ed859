import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentObserver } from '../../src/core/define/observer.ts'
import { sendAlerts } from '../../src/serve/alerts/send-alerts.ts'
import { createWebhook } from '../../src/serve/alerts/webhook.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { causeOf, HOUR, NOW } from '../serve/alerts/causes.ts'
import { type HookAnswer, startHookServer } from '../serve/alerts/hook-server.ts'
import { headersOf, startMailServer } from '../serve/alerts/mail-server.ts'
import { type Ended, openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
let hook: Awaited<ReturnType<typeof startHookServer>>
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())
beforeEach(async () => {
  hook = await startHookServer()
})
afterEach(() => hook.close())

/** Runs `alert --test` with secrets that only the environment contains. */
function test(top: readonly string[], ...args: string[]): Promise<Ended> {
  bench.configure({ top })
  const environment = {
    HOOK: `${hook.url}/token-1`,
    PING: `${hook.url}/ping-1`,
    PW: 'password-1',
  }
  return bench.startWith({ environment }, 'alert', '--test', ...args).ended
}

const mailLines = (port: number): string[] => [
  `mail: {host: 127.0.0.1, port: ${port}, user: u, password: env:PW,`,
  '  from: c@example.com}',
]

function expectNoSecrets({ stdout, stderr }: Ended): void {
  for (const secret of ['token-1', 'ping-1', 'password-1', 'operator.name'])
    expect(stdout + stderr).not.toContain(secret)
}

describe('alert --test', () => {
  it('sends to each channel and reports it', async () => {
    const server = await startMailServer({
      tls: 'none',
      login: { user: 'u', password: 'password-1' },
    })
    const out = join(bench.folder, 'told.json')
    const script = `process.stdin.pipe(require('node:fs').createWriteStream(process.argv[1]))`
    const ended = await test([
      ...mailLines(server.port),
      'alerts:',
      '  mail: {to: [operator.name@example.com]}',
      '  webhook: {url: env:HOOK, form: slack}',
      `  command: ${JSON.stringify([process.execPath, '-e', script, out])}`,
      '  ping: env:PING',
    ])
    await server.close()
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toBe('mail: sent\nwebhook: sent\ncommand: sent\nping: sent\n')
    expect(headersOf(server.taken[0]?.source ?? '').get('subject')).toBe(
      'Callsheet: a test of alerts',
    )
    expect(hook.taken.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /token-1',
      'GET /ping-1',
    ])
  })

  it('reports each failed channel, and exits with 1', async () => {
    hook.state.answer = 404 satisfies HookAnswer
    const server = await startMailServer({ tls: 'none', login: { user: 'u', password: 'another' } })
    const top = [
      ...mailLines(server.port),
      'alerts:',
      '  mail: {to: [operator.name@example.com]}',
      '  webhook: {url: env:HOOK}',
      '  command: [./no-such-program]',
      '  ping: env:UNSET',
    ]
    const ended = await test(top)
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain(
      'mail: error: Sending mail through the server of the setting mail',
    )
    expect(ended.stdout).toContain('the server refused the login, status 535 5.7.8')
    expect(ended.stdout).toContain('the receiver answered HTTP 404')
    expect(ended.stdout).toContain('the program does not exist')
    expect(ended.stdout).toContain('environment variable UNSET is not set')
    expectNoSecrets(ended)
    const json = await test(top, '--json', '--verbose')
    await server.close()
    expect(json.code).toBe(1)
    const { tests } = JSON.parse(json.stdout) as {
      tests: { channel: string; sent: boolean; error: { code: string } }[]
    }
    expect(tests.map(({ channel, sent, error }) => [channel, sent, error.code])).toEqual([
      ['mail', false, 'mail_login_refused'],
      ['webhook', false, 'delivery_refused'],
      ['command', false, 'command_not_started'],
      ['ping', false, 'secret_unavailable'],
    ])
    expectNoSecrets(json)
  })

  it('without a channel, exits with 2 and names the settings', async () => {
    const { code, stderr } = await test([])
    expect(code).toBe(2)
    expect(stderr).toContain('alerts.mail, alerts.webhook, alerts.command or alerts.ping')
  })
})

describe('alert', () => {
  it('lists open alerts as a table and as JSON', async () => {
    bench.configure()
    expect(await bench.run('alert')).toMatchObject({
      code: 0,
      stdout:
        'No open alerts. Only callsheet serve opens one; callsheet status checks all accounts now.\n',
    })
    const warehouse = connect({ url: bench.databaseUrl })
    const clock = manualClock(NOW)
    const settings = { setting: 'alerts.webhook', url: () => hook.url, form: 'json' as const }
    const deps = {
      warehouse,
      clock,
      observer: silentObserver,
      channels: [createWebhook({ ...settings, timeoutMs: 60_000 }, { clock })],
      rules: { level: 'red' as const, remindMs: 24 * HOUR },
    }
    await sendAlerts(deps, [causeOf('users')])
    hook.state.answer = 503
    const disk = causeOf('disk', { account: undefined, code: 'disk_low', sinceMs: NOW + HOUR })
    await sendAlerts(deps, [causeOf('users'), disk])
    await warehouse.close()
    const { code, stdout } = await bench.run('alert')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^webhook +main +red +The job users fails\. +2026-07-01 05:00 +2026-07-01 05:00$/m,
    )
    expect(stdout).toMatch(
      /^webhook +red +The job disk fails\. .* not yet +delivery_refused, 1 times$/m,
    )
    const json = JSON.parse((await bench.run('alert', '--json')).stdout) as { alerts: object[] }
    expect(json.alerts).toEqual([
      {
        channel: 'webhook',
        account: 'main',
        code: 'job_failing',
        subject: 'users',
        level: 'red',
        sentence: 'The job users fails.',
        todo: 'callsheet runs',
        since: '2026-07-01T05:00:00.000Z',
        firstToldAt: '2026-07-01T05:00:00.000Z',
        lastToldAt: '2026-07-01T05:00:00.000Z',
        attempts: 0,
        lastError: null,
      },
      expect.objectContaining({ account: null, firstToldAt: null, lastError: 'delivery_refused' }),
    ])
  })
})
