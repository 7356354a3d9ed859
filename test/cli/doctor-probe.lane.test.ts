import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LINES } from '../../src/cli/probe/lines.ts'
import { probes } from '../../src/cli/probe/probes.ts'
import { alteringProxy } from './altering-proxy.ts'
import { tellLimit } from './single-ways.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench({ habits: { pageCap: 40 }, readings: { lastToken: 'absent' } })
})
afterAll(() => bench.close())

interface Document {
  findings: { check: string; state: string }[]
  healthy: boolean
  probe: {
    accounts: {
      account: string
      calls: number
      mostCalls: number
      probes: { id: string; verdict: string; found: string; lines: string[]; settings?: object }[]
    }[]
    notProbed: { id: string; says: string; because?: string }[]
  }
}

describe('the lines of what is assumed', () => {
  it('are all in the list, section by section', () => {
    const sections = Map.groupBy(LINES, ({ section }) => section)
    const counts = [...sections].map(([section, lines]) => `${section} ${lines.length}`)
    expect(counts).toEqual([
      'errors 8',
      'tokens 4',
      'limits 2',
      'query 12',
      'video sessions 1',
      'notifications 4',
      'quirks 9',
    ])
    expect(new Set(LINES.map(({ id }) => id)).size).toBe(LINES.length)
  })

  it('have each a probe, or a reason why reads do not test it', () => {
    const tested = new Set<string>(probes.flatMap(({ lines }) => lines))
    const bare = LINES.filter((line) => !tested.has(line.id) && !('because' in line))
    expect(bare.map(({ id }) => id)).toEqual([])
    expect(probes.length).toBeGreaterThan(50)
    expect(new Set(probes.map(({ id }) => id)).size).toBe(probes.length)
    expect(
      probes.flatMap(({ operations }) => operations.map(({ method }) => method)),
    ).not.toContain('POST')
  })
})

describe('doctor --probe', () => {
  it('says how many reads it sends at most, and what came of each probe', async () => {
    const before = callsSoFar()
    const { code, stdout, stderr } = await bench.run('doctor', '--probe', '--json')
    const { findings, healthy, probe } = JSON.parse(stdout) as Document
    const [account] = probe.accounts
    expect(stderr).toContain(`Probing main: ${account?.mostCalls} calls at most, all of them reads`)
    expect(account?.probes.map(({ id }) => id)).toEqual(probes.map(({ id }) => id))
    expect(account?.probes.find(({ id }) => id === 'page-size.users')).toMatchObject({
      verdict: 'differs',
      found: '40 records a page at most',
    })
    expect(account?.probes.find(({ id }) => id === 'last-page')?.found).toMatch(
      /^absent on \d+ pages$/,
    )
    expect(callsSoFar() - before).toBeGreaterThan(40)
    expect(callsSoFar() - before).toBeLessThanOrEqual(account?.calls ?? 0)
    expect(account?.calls).toBeLessThanOrEqual(account?.mostCalls ?? 0)
    expect(findings.map(({ check }) => check)).toEqual([
      'configuration',
      'schedule',
      'database',
      'tables',
      'main database',
      'main token',
      'main scopes',
    ])
    expect(healthy).toBe(true)
    const reasons = probe.notProbed.filter(({ because = '' }) => because !== '')
    expect(reasons).toHaveLength(probe.notProbed.length)
    expect(reasons.map(({ id }) => id)).toContain('notification-signature')
    expect(code).toBe(0)
  })

  it('does not end a token that is in use, and says that its life is not known then', async () => {
    const { tokenRenewals } = bench.sandbox.stats()
    const { stdout } = await bench.run('doctor', '--probe')
    expect(bench.sandbox.stats().tokenRenewals).toBe(tokenRenewals)
    expect(stdout).toMatch(/unclear +token-life +.*: the token is kept from before/)
    expect(stdout).toMatch(
      /differs +page-size\.users .*\n +for a sync: a sync reads 8 times as many/,
    )
    expect(stdout).toMatch(
      /\d+ holds, \d+ differs, .*; \d+ of 40 assumptions cannot be tested by reads/,
    )
  })

  it('writes the settings to adopt, which the configuration takes', async () => {
    const proxy = await alteringProxy(bench.sandbox.url)
    proxy.ways = { tell: tellLimit }
    bench.configure({
      account: [QUOTAS, `baseUrl: ${proxy.url}/v2`],
    })
    const { stdout } = await bench.run('doctor', '--probe', '--write', 'adopt.yaml')
    await proxy.close()
    expect(stdout).toContain('Settings written to adopt.yaml')
    const written = readFileSync(join(bench.folder, 'adopt.yaml'), 'utf8')
    expect(written).toMatch(/^# main, page-size\.users: a page holds 300 records at most\.$/m)
    expect(written).toMatch(
      /^# {3}For a sync: a sync reads 8 times as many pages, and loses none\.$/m,
    )
    const [, quotas = ''] = /^ {4}quotas:\n((?: {6}.*\n)+)/m.exec(written) ?? []
    expect(quotas).toMatch(/LIGHT:\n +pool: LIGHT\n +perSecond: 900\n/)
    expect(quotas).toMatch(/MEDIUM:\n(?: {8}.*\n)* {8}perSecond: 1000\n/)
    bench.configure({ account: [`quotas:\n${quotas.trimEnd()}`] })
    const again = await bench.run('doctor', '--json')
    expect((JSON.parse(again.stdout) as Document).findings[0]).toMatchObject({ state: 'ok' })
  })

  it('writes over no file, and into none without probes', async () => {
    const { code, stderr } = await bench.run('doctor', '--probe', '--write', 'config.yaml')
    expect([code, stderr]).toEqual([2, expect.stringContaining('it is there already')])
    symlinkSync('nowhere', join(bench.folder, 'linked.yaml'))
    const linked = await bench.run('doctor', '--probe', '--write', 'linked.yaml')
    expect([linked.code, linked.stderr]).toEqual([2, expect.stringContaining('a new file')])
    const alone = await bench.run('doctor', '--write', 'other.yaml')
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--probe with --write')])
    expect(existsSync(join(bench.folder, 'other.yaml'))).toBe(false)
  })

  it('asks nothing where there is no token', async () => {
    bench.configure({ account: ['clientId: nobody'] })
    const before = callsSoFar()
    const { code, stdout } = await bench.run('doctor', '--probe', '--json')
    const { probe, healthy } = JSON.parse(stdout) as Document
    expect([code, healthy, probe.accounts, callsSoFar() - before]).toEqual([1, false, [], 0])
  })
})

/** What is let through in a second is not looked for where it is not known, which would take time. */
const QUOTAS =
  'quotas: {LIGHT: {perSecond: 900}, MEDIUM: {perMinute: 6000}, RESOURCE-INTENSIVE: {perMinute: 6000}}'

function callsSoFar(): number {
  return Object.values(bench.sandbox.stats().labels).reduce(
    (sum, { requests }) => sum + requests,
    0,
  )
}
