import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasDatabase } from '../../src/cli/demo/state.ts'
import { breakService, openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench({
    accounts: [{ scopes: ['whiteboard_content:read:admin', 'user:read:admin'] }],
  })
})
afterAll(() => bench.close())
beforeEach(async () => {
  bench.configure()
  await breakService(bench.sandbox, [])
})

const BUCKET = 'store: s3, s3: {bucket: b, accessKeyId: k, secretAccessKey: env:UNSET}'

interface Finding {
  check: string
  state: string
  text: string
  todo?: string
}

async function doctor(): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout } = await bench.run('doctor', '--json')
  return { code, ...(JSON.parse(stdout) as { findings: Finding[] }) }
}

const state = (findings: Finding[], check: string) =>
  findings.filter((finding) => finding.check === check).map((finding) => finding.state)

describe('the doctor', () => {
  it('checks everything that a sync needs, and names missing scopes', async () => {
    const { code, findings } = await doctor()
    for (const check of [
      'configuration',
      'schedule',
      'database',
      'tables',
      'main token',
      'main users',
    ])
      expect([check, state(findings, check)]).toEqual([check, ['ok']])
    const scopes = findings.filter(({ check }) => check === 'main scopes')
    const named = scopes.map(({ state: found, text }) => `${found} ${text.split(' ')[0]}`)
    expect(named.toSorted()).toEqual([
      'failed carrier_peering_numbers.list',
      'failed classification_labels.list',
      'failed peering_numbers.list',
      'failed phone_numbers.get',
      'failed phone_numbers.list',
      'failed ported_orders.get',
      'failed ported_orders.list',
      'failed sip_groups.list',
      'failed sip_trunks.list',
      'failed sms_consent_numbers.list',
      'failed sms_consents.get',
      'failed sms_consents.list',
      'failed whiteboard_collaborators.list',
      'failed whiteboard_content.get',
      'failed whiteboards.list',
    ])
    expect(scopes.map(({ text }) => text).join()).toContain('number_management_numbers:read:admin')
    const numbers = findings.find(({ check }) => check === 'main phone-numbers')
    expect(numbers).toMatchObject({ state: 'failed' })
    expect(numbers?.text).toMatch(/^not allowed\. .*number_management/)
    expect(state(findings, 'main clock')).toEqual(['ok'])
    expect(code).toBe(1)
  })

  it('reads the first page of every allowed job', async () => {
    const own = await openWorkbench()
    try {
      const { stdout } = await own.run('doctor', '--json')
      const { findings } = JSON.parse(stdout) as { findings: Finding[] }
      const jobs = findings.filter(({ text }) => text.startsWith('first pages read'))
      expect(jobs.map(({ check, state: found }) => `${check} ${found}`)).toEqual([
        'main users ok',
        'main phone-numbers ok',
        'main number-settings ok',
        'main whiteboard-archives ok',
        'main whiteboards ok',
        'main session-reports ok',
        'main recordings ok',
        'main number-details ok',
        'main recording-details ok',
        'main user-details ok',
      ])
    } finally {
      await own.close()
    }
  })

  it('reports the real path of an embedded database', async () => {
    bench.configure({ top: ['database: {url: null}'] })
    const { findings } = await doctor()
    const place = realpathSync(join(bench.folder, '.callsheet', 'postgres', 'cluster'))
    // If the tests run as root, the cluster is outside the folder and must be removed separately.
    rmSync(place, { recursive: true })
    const found = findings.find(({ check }) => check === 'database')
    expect(found?.text).toMatch(/^Postgres \d/)
    expect(found?.text).toContain(`, embedded, in ${join(place, 'data')}`)
  })

  it('reports that the clock of this machine is wrong', async () => {
    bench.sandbox.advance(600_000)
    const { findings } = await doctor()
    bench.sandbox.advance(-600_000)
    expect(findings.find(({ check }) => check === 'main clock')).toMatchObject({
      state: 'failed',
      todo: 'set the clock of this machine with NTP',
    })
  })

  it('gives one reason for many jobs that cannot be read, and names the jobs', async () => {
    bench.configure({ account: ['baseUrl: http://127.0.0.1:1/v2'] })
    const { code, stdout } = await bench.run('doctor')
    expect(stdout.match(/the connection failed/g)).toHaveLength(1)
    expect(stdout).toMatch(/^failed +8 checks +the connection failed .*This concerns main users, /m)
    expect(stdout).toMatch(/^warning +main user-details +not tested/m)
    expect(code).toBe(1)
  })

  it('prints a remedy only once if several findings share it', async () => {
    const { stdout } = await bench.run('doctor')
    expect(stdout.match(/activate it again/g)).toHaveLength(1)
  })

  it('suggests a fix for a wrong API version in the address', async () => {
    bench.configure({ account: [`baseUrl: ${bench.sandbox.baseUrl.replace(/v2$/, 'v3')}`] })
    const { findings } = await doctor()
    expect(findings.filter(({ check }) => check === 'main API address')).toEqual([
      {
        check: 'main API address',
        state: 'failed',
        text: expect.stringMatching(/has no API under http.*\/v3$/),
        todo: expect.stringContaining('set baseUrl to the root'),
      },
    ])
  })

  it('reports every problem at once, in plain words', async () => {
    bench.configure({
      account: ['clientId: nobody'],
      top: ['archive: {recordings: true}', 'evidence: {signingKey: env:UNSET}'],
    })
    const { code, stdout } = await bench.run('doctor')
    expect(stdout).toMatch(/failed +evidence key +.*UNSET is not set/)
    expect(stdout).toMatch(/failed +main token +.*\n +what to do: compare client_?[iI]d/)
    expect(code).toBe(1)
  })

  it('creates missing tables', async () => {
    bench.configure({ top: ['database: {}'] })
    const { findings } = await doctor()
    expect(state(findings, 'tables')).toEqual(['ok'])
    expect(state(findings, 'main token')).toEqual(['ok'])
    expect(state(findings, 'main users')).toEqual(['ok'])
    expect(hasDatabase({ directory: join(bench.folder, '.callsheet') })).toBe(true)
  })

  it('tests the secret even if a stored token is still valid', async () => {
    await doctor()
    bench.configure({ account: ['clientSecret: wrong'] })
    const { stdout } = await bench.run('doctor')
    expect(stdout).toMatch(/failed +main token +.*invalid_client/)
  })

  it('replaces a token that was encrypted with the previous key', async () => {
    await doctor()
    writeFileSync(join(bench.folder, 'new.key'), 'ab'.repeat(32), { mode: 0o600 })
    bench.configure({
      top: ['tokenKey: file:new.key', 'previousTokenKeys: [file:.callsheet/token.key]'],
    })
    expect(state((await doctor()).findings, 'main token')).toEqual(['ok'])
    bench.configure({ top: ['tokenKey: file:new.key'] })
    expect((await bench.run('sync', 'users')).code).toBe(0)
  })

  it('checks the archive’s place and the signing key, and creates neither', async () => {
    bench.configure({ top: ['archive: {directory: kept/here}'] })
    mkdirSync(join(bench.folder, 'kept'))
    const before = readdirSync(bench.folder, { recursive: true })
    const { findings } = await doctor()
    expect(state(findings, 'main archive')).toEqual(['ok'])
    expect(findings.find(({ check }) => check === 'evidence key')).toMatchObject({
      state: 'ok',
      text: 'none yet; the first sync creates one',
    })
    expect(readdirSync(bench.folder, { recursive: true })).toEqual(before)
    bench.configure()
    const checks = (await doctor()).findings.map(({ check }) => check)
    expect(checks.filter((check) => /archive$|evidence/.test(check))).toEqual([])
  })

  it.each([
    [
      'a folder',
      'main archive',
      'archive: {directory: config.yaml/archive}',
      'a link, device or other object exists',
    ],
    ['the secret of a bucket', 'main archive', `archive: {${BUCKET}}`, 'variable UNSET is not set'],
    ['a key', 'evidence key', 'evidence: {signingKey: env:UNSET}', 'variable UNSET is not set'],
    [
      'a text that is not a key',
      'evidence key',
      'evidence: {signingKey: env:SECRET}',
      'the text is not a private key',
    ],
  ])('reports %s that cannot be used', async (_what, check, line, text) => {
    bench.configure({
      top: line.startsWith('archive')
        ? [line]
        : ['archive: {files: false, recordings: true}', line],
    })
    const { code, findings } = await doctor()
    expect(findings.filter((one) => one.check === check)).toEqual([
      expect.objectContaining({ state: 'failed', text: expect.stringContaining(text) as string }),
    ])
    expect(code).toBe(1)
  })

  it('checks no account if the database is down, and exits with 1', async () => {
    bench.configure({ top: ['database: {url: "postgresql://me@127.0.0.1:1/x"}'] })
    const { code, findings } = await doctor()
    expect(state(findings, 'database')).toEqual(['failed'])
    expect(findings.some(({ check }) => check.startsWith('main'))).toBe(false)
    expect(code).toBe(1)
  })
})
