import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import numberInventory from '../../reports/number-inventory.ts'
import { jobs } from '../../src/account/catalog.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { type FrozenPlace, freezePlace, thawPlace } from '../erasure/frozen-place.ts'
import { tablesWith, tell, verify } from '../erasure/stage.ts'
import { runChild } from '../helpers/killed-child.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { textOf } from '../reports/owned-world.ts'
import { PLANTED, POLICY, plant } from './planted.ts'

/** The jobs that read planted values. */
const OURS = jobs.filter(({ name }) => ['users', 'phone-numbers', 'session-reports'].includes(name))
/** The failpoints that a rewrite passes, besides those of any transaction and of the lease. */
const STEPS = ['erase:rows', 'erase:rows-done', 'erase:report', 'erase:finishing']

let place: FrozenPlace
/** The reports that contain a planted value before. */
let planted: string[]
let trace: string[]
let undisturbed: { tables: string[]; reports: string[]; named: string[] }
beforeAll(async () => {
  const world = await openWorld({ sizes: TINY, altered: true })
  world.ways.tell = plant
  await world.sync({ jobs: OURS })
  await world.mutate()
  await world.sync({ jobs: OURS })
  await tell(world, {
    event: 'visitor_management.invitation_created',
    event_ts: 1_751_900_000_000,
    payload: { object: { invitation_id: 'i1', visitor_email: 'planted@guest.example' } },
  })
  await publishReport(world.account.deps, {
    report: numberInventory,
    account: 'account-0',
    params: numberInventory.params.parse({}),
    timeZone: 'UTC',
    formats: ['xlsx', 'html', 'csv'],
    directory: join(world.place.configFile, '../out'),
  })
  place = await freezePlace(world)
  await world.close()
  const copy = await thaw()
  planted = await copy.reportsWith()
  const traceFile = join(copy.folder, 'trace.json')
  await copy.rewrite({ PROOF_TRACE: traceFile })
  trace = JSON.parse(readFileSync(traceFile, 'utf8')) as string[]
  undisturbed = await copy.end()
  await copy.close()
}, 300_000)
afterAll(() => place.drop())

async function thaw() {
  const copy = await thawPlace(place)
  const { configFile, databaseUrl, folder, warehouse } = copy
  const config = JSON.parse(readFileSync(configFile, 'utf8')) as { accounts: object[] }
  config.accounts = config.accounts.map((one) => ({ ...one, columns: POLICY }))
  writeFileSync(configFile, JSON.stringify(config))
  const out = join(folder, 'out')
  const reports = () => readdirSync(out).toSorted()
  const reportsWith = async () => {
    const texts = await Promise.all(reports().map((name) => textOf(join(out, name))))
    return reports().filter((_, at) => texts[at]?.toLowerCase().includes(PLANTED))
  }
  return {
    ...copy,
    rewrite: (environment: Record<string, string>) =>
      runChild('erase', { configFile, databaseUrl, now: WORLD_NOW, columns: true }, environment),
    reportsWith,
    async end() {
      const { findings } = await verify({ warehouse, place: { configFile } } as World)
      if (findings.length > 0) throw new Error(JSON.stringify(findings))
      const tables = await tablesWith(warehouse, [PLANTED])
      return { tables, reports: reports(), named: await reportsWith() }
    },
  }
}

it('a rewrite passes all its failpoints, and leaves no value that the policy keeps out', () => {
  const names = new Set(trace.map((hit) => hit.split('#')[0]))
  expect(STEPS.filter((name) => !names.has(name))).toEqual([])
  expect(planted).not.toEqual([])
  expect(undisturbed.tables).toEqual([])
  expect(undisturbed.named).toEqual([])
  expect(undisturbed.reports.length).toBeGreaterThan(2)
})

it('a rewrite that was killed at any step is completed by the next one', {
  timeout: 600_000,
}, async () => {
  const byName = Map.groupBy(trace, (hit) => hit.split('#')[0] ?? '')
  const hits = [
    ...STEPS.flatMap((name) => [...new Set([byName.get(name)?.at(0), byName.get(name)?.at(-1)])]),
    byName.get('commit:before')?.at(-2),
    byName.get('commit:after')?.at(-2),
  ].filter((hit) => hit !== undefined)
  expect(hits.length).toBeGreaterThan(STEPS.length + 2)
  for (const hit of hits) {
    const copy = await thaw()
    try {
      const killed = await copy.rewrite({ PROOF_KILL_AT: hit })
      expect({ hit, ...killed }).toMatchObject({ signal: 'SIGKILL' })
      expect({ hit, code: (await copy.rewrite({})).code }).toEqual({ hit, code: 0 })
      expect({ hit, ...(await copy.end()) }).toEqual({ hit, ...undisturbed })
    } finally {
      await copy.close()
    }
  }
})
