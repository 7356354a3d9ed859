import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { catalog } from '../../../src/account/catalog.ts'
import type { OpenWarehouse } from '../../../src/account/wire.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { sentFiles, sentKey } from '../../../src/erasure/sql/sent-reports.ts'
import { createHooks } from '../../../src/serve/work/hooks.ts'
import { runReport } from '../../../src/serve/work/run-report.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { account } from '../../config/config-folder.ts'
import { useWarehouse } from '../../helpers/database.ts'
import { OWNERS, PARTS, plantOwned } from '../../reports/owned-world.ts'
import { headersOf, startMailServer } from '../alerts/mail-server.ts'

let warehouse: Warehouse
let folder: string
useWarehouse((opened) => (warehouse = opened), { poolSize: 3 })
beforeAll(() => plantOwned(warehouse))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-owner-mail-'))
})
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  rmSync(folder, { recursive: true })
})

/** Runs the report job as `serve` does, with a mail server that refuses some addresses. */
async function attempt(dueMs: number, unknown: readonly string[] = [], list = OWNERS) {
  const { port, taken, close } = await startMailServer({ tls: 'none', unknown })
  closers.push(close)
  const path = join(folder, 'config.yaml')
  const owners = list.map((owner) => ({ ...owner, sessionKeys: [] }))
  const lines = [
    ...account.map((line) => line.replace('name: main', 'name: hand')),
    `mail: {host: 127.0.0.1, port: ${port}, from: a@corp.example}`,
    `hooks: [{after: report, command: ${JSON.stringify(hookInto(join(folder, 'hooks.out')))}}]`,
    'reports:',
    '  formats: [csv]',
    `  directory: ${join(folder, 'out')}`,
    `  owners: ${JSON.stringify(owners)}`,
    '  jobs: {number-inventory-report: {deliver: {mail: [all@corp.example], owners: true}}}',
  ]
  writeFileSync(path, lines.join('\n'))
  const { config } = loadConfig({ path, ...catalog, environment: { SECRET: 's' } })
  const failed: unknown[] = []
  const observer = {
    ...silentObserver,
    event: (name: string, facts: Record<string, unknown>) => {
      if (name === 'report not delivered') failed.push(facts['name'])
    },
  }
  const wiring = { config, clock: systemClock, observer }
  const opened: OpenWarehouse = { wiring, warehouse, embedded: false, close: async () => {} }
  const due = { schedule: '0 6 * * 1', timezone: 'UTC' }
  const work = { account: 'hand', job: 'number-inventory-report', kind: 'report', ...due } as const
  const { signal } = new AbortController()
  const hooks = createHooks(opened, { signal })
  const { kind } = await runReport(opened, { work, dueMs, signal, hooks })
  await hooks.settled()
  return { kind, failed, taken }
}

/** A hook's command that appends its input to a file. */
function hookInto(file: string): string[] {
  const script = `require('node:fs').appendFileSync(process.argv[1],
    require('node:fs').readFileSync(0, 'utf8') + '\\n')`
  return [process.execPath, '-e', script, file]
}

it('a report job mails the whole report first, and then to each owner only their own cut', async () => {
  const { kind, failed, taken } = await attempt(Date.parse('2026-11-23T06:00:00Z'))
  expect({ kind, failed }).toEqual({ kind: 'done', failed: [] })
  expect(taken.map(({ to }) => to)).toEqual([
    ['all@corp.example'],
    ...OWNERS.map(({ mail }) => [...mail]),
  ])
  for (const [at, { source }] of taken.slice(1).entries()) {
    const own = PARTS[at] ?? ''
    expect(headersOf(source).get('subject')).toBe(
      `Number inventory of hand for Team ${own}, Nov 20: complete`,
    )
    const names = [...source.matchAll(/filename="?([^\s";]+)/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => name?.includes(`-of-team-${own}`) !== true)).toEqual([])
    const bodies = source.split('\r\n\r\n').map((part) => Buffer.from(part, 'base64').toString())
    const others = PARTS.filter((part) => part !== own).join('|')
    expect(`${source}${bodies.join('')}`).not.toMatch(new RegExp(others, 'i'))
    expect(bodies.join('')).toContain(own)
  }
  expect(readdirSync(join(folder, 'out')).some((name) => name.includes('-of-team-qxbravo'))).toBe(
    true,
  )
  const hooked = readFileSync(join(folder, 'hooks.out'), 'utf8').trim().split('\n')
  expect(hooked.map((line) => JSON.parse(line) as object)).toMatchObject([{ verdict: 'complete' }])
  expect(hooked.join()).not.toContain('-of-team-')
})

it('a report job repeats only the mail that failed, and records which cuts were sent', async () => {
  const dueMs = Date.parse('2026-11-30T06:00:00Z')
  const [, bravo] = OWNERS
  const first = await attempt(dueMs, bravo?.mail)
  expect(first).toMatchObject({ kind: 'again', failed: ['mail to Team qxbravo'] })
  expect(first.taken.map(({ to }) => to.join())).toEqual([
    'all@corp.example',
    'qxalpha@corp.example',
    'qxcharlie@corp.example',
  ])
  const second = await attempt(dueMs)
  expect(second).toMatchObject({ kind: 'done', failed: [] })
  expect(second.taken.map(({ to }) => to.join())).toEqual(['qxbravo@corp.example'])
  const { rows } = await warehouse.db
    .selectFrom('callsheet.published_reports')
    .select('files')
    .execute()
    .then((found) => ({ rows: found }))
  const sent = await warehouse.transaction((tx) => sentFiles(tx, 'hand'))
  const cuts = rows.flatMap(({ files }) =>
    (files as { path: string; sha256: string }[]).filter(({ path }) => path.includes('-of-team-')),
  )
  expect(cuts.length).toBeGreaterThan(30)
  for (const cut of cuts) expect(sent.get(sentKey(cut))).toEqual(new Set(['mail']))
})

it('a report job makes an unsent cut again if the owners changed, and repeats no other mail', async () => {
  const dueMs = Date.parse('2026-12-07T06:00:00Z')
  const [alpha, bravo, charlie] = OWNERS
  if (alpha === undefined || bravo === undefined || charlie === undefined) throw new Error()
  expect(await attempt(dueMs, bravo.mail)).toMatchObject({ kind: 'again' })
  const { sites, departments } = charlie
  const changed = [alpha, { ...bravo, sites, departments }, { ...charlie, departments: ['none'] }]
  const { kind, taken } = await attempt(dueMs, [], changed)
  expect({ kind, to: taken.map(({ to }) => to.join()) }).toEqual({
    kind: 'done',
    to: ['qxbravo@corp.example'],
  })
  const parts = taken[0]?.source.split('\r\n\r\n') ?? []
  const text = parts.map((part) => Buffer.from(part, 'base64').toString()).join('')
  expect(text).toContain('qxcharlie site_name')
  expect(text).not.toContain('qxbravo site_name')
})
