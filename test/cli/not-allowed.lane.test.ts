import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench({
    switches: { providerExchange: false },
    accounts: [{ scopes: ['user:read:admin', ...TRUNKS_AND_PEERING] }],
  })
  bench.configure()
})
afterAll(() => bench.close())

const TRUNKS_AND_PEERING = [
  'list_sip_trunks',
  'list_peering_numbers',
  'list_carrier_peering_numbers',
].map((name) => `number_management:read:${name}:admin`)

describe('a stream that is not allowed', () => {
  it('is reported by doctor, next to the allowed ones', async () => {
    const { stdout } = await bench.run('doctor', '--json')
    const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
    const of = (check: string) => findings.find((finding) => finding.check === check)
    expect(of('main number-settings')).toMatchObject({ state: 'ok' })
    expect(of('main peering_numbers')).toMatchObject({
      state: 'warning',
      text: expect.stringMatching(/^not allowed\. .*HTTP 403 with code 403.*partners/),
      todo: 'check that the account has the feature of this request, and that the app may use it',
    })
    expect(of('main sip_groups')).toMatchObject({ state: 'warning' })
    expect(of('main sip_trunks')).toBeUndefined()
    expect(of('main phone-numbers')).toMatchObject({
      state: 'failed',
      text: expect.stringMatching(/^not allowed\. .*number_management/),
    })
  })

  it('does not fail a sync that can read other streams, and is reported by it and by status', async () => {
    const { code, stdout, stderr } = await bench.run('sync', 'number-settings')
    expect(code).toBe(0)
    expect(stdout).toMatch(/sip_trunks .* 1\/1\s/)
    expect(stdout).toMatch(/carrier_peering_numbers .* not allowed/)
    expect(stderr).toMatch(/peering_numbers.*: not allowed\. GET .*HTTP 403/)
    expect(stderr).toMatch(/sip_groups.*: not allowed\. .*\n.*add the scope on the app/)
    const status = await bench.run('status')
    expect(status.stdout).toMatch(/^AMBER not_allowed: .*peering_numbers.*: HTTP 403/m)
    expect(status.stdout).toMatch(
      /^AMBER not_allowed: .*sip_groups.*: the token lacks the scope.*\n {2}Add the scope/m,
    )
    expect(status.stdout).not.toMatch(/not_allowed: .*sip_trunks/)
  })

  it('is not a failure of the service, even if nothing else was requested', async () => {
    const { code, stderr } = await bench.run('sync', 'phone-numbers')
    expect([code, stderr]).toEqual([4, expect.stringContaining('phone_numbers: not allowed.')])
  })

  it('leaves a job with no allowed stream incomplete, and its reports too', async () => {
    const { code, stderr } = await bench.run('sync', 'users', 'phone-numbers')
    expect(code).toBe(4)
    expect(stderr).toContain('phone_numbers: not allowed.')
    const report = await bench.run('report', 'number-inventory', '--json')
    const { reports } = JSON.parse(report.stdout) as {
      reports: { covered: boolean; files: { path: string }[] }[]
    }
    expect([report.code, reports[0]?.covered]).toEqual([4, false])
    const page = reports[0]?.files.find(({ path }) => path.endsWith('.html'))?.path ?? ''
    expect(readFileSync(page, 'utf8')).toMatch(
      /incomplete \([^)]*sms_consent_numbers[^)]*: never read; [^)]*sms_consents[^)]*: not allowed\)/,
    )
    expect(readFileSync(page, 'utf8')).toMatch(
      /NOT complete.*the account may not read phone_numbers: GET .*HTTP 400 with code 4711/,
    )
  })
})
