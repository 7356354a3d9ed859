import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import reconciliation from '../../reports/reconciliation.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { defineReport } from '../../src/core/define/report.ts'
import { frozenClock } from '../../src/core/time/clock.ts'
import { prepareReport } from '../../src/report/prepare-report.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { StreamCoverage } from '../../src/report/report-coverage.ts'
import { users } from '../../src/resources/users.ts'
import { readRun } from '../../src/serve/health/read-runs.ts'
import { detailOf } from '../../src/serve/health/run-overview.ts'
import { pruneLedger } from '../../src/serve/ledger/prune-ledgers.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { newKey } from '../helpers/evidence-stage.ts'
import { fillOldLedgers, PRUNED_MS } from '../serve/ledger/old-ledgers.ts'

let database: TestDatabase
let warehouse: Warehouse
let directory: string
let before: string[]
let dropped: readonly string[]
let coverage: StreamCoverage[][]
beforeAll(async () => {
  database = await testDatabase()
  directory = await mkdtemp(join(tmpdir(), 'callsheet-unkept-'))
  await fillOldLedgers(database.url)
  warehouse = connect({ url: database.url, frozenNow: PRUNED_MS, poolSize: 2 })
  before = await published('2026-04-01')
  coverage = [await covered(Date.UTC(2026, 3, 1)), await covered()]
  const told = { clock: frozenClock(PRUNED_MS), observer: silentObserver }
  const deps = { warehouse, ...told, key: newKey }
  const { signal } = new AbortController()
  dropped = (await pruneLedger(deps, { ledger: 'slices', months: 6, signal })).months
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
  await rm(directory, { recursive: true })
})

async function published(day: string, timeZone = 'UTC'): Promise<string[]> {
  const request = { report: reconciliation, account: 'acme', params: { day }, timeZone }
  const { files } = await publishReport(
    { warehouse },
    { ...request, directory, formats: ['csv', 'html'] },
  )
  return files.map(({ sha256 }) => sha256)
}

describe('a report on days whose ledger was pruned', () => {
  it('is refused, and the error names the earliest possible day', async () => {
    const refused = published('2026-03-31')
    await expect(refused).rejects.toMatchObject({ code: 'ledger_not_kept', exitCode: 2 })
    await expect(refused).rejects.toThrow(
      'were pruned (ledger.keepMonths); they begin on 2026-04-01',
    )
  })

  it('is refused, and the error names the first day that is complete in the report’s time zone', async () => {
    await expect(published('2026-03-31', 'America/New_York')).rejects.toThrow('begin on 2026-04-01')
    await expect(published('2026-04-01', 'Europe/Berlin')).rejects.toThrow('begin on 2026-04-02')
  })

  it('has the same bytes for the earliest possible day as before the pruning', async () => {
    expect(before.length).toBeGreaterThan(3)
    expect(dropped).toContain('slices_2026_03')
    expect(await published('2026-04-01')).toEqual(before)
  })

  it('is refused as of a pruned day, and keeps its coverage as of later days', async () => {
    await expect(covered(Date.UTC(2026, 2, 20))).rejects.toMatchObject({ code: 'ledger_not_kept' })
    expect(coverage[1]).toMatchObject([{ stream: 'users', complete: 3, incomplete: 1 }])
    expect([await covered(Date.UTC(2026, 3, 1)), await covered()]).toEqual(coverage)
  })
})

const ofUsers = defineReport({
  name: 'users',
  title: 'Users',
  params: z.object({}),
  needs: [users],
  periods: () => undefined,
  build: () => Promise.resolve([]),
})

async function covered(endedByMs?: number): Promise<StreamCoverage[]> {
  const request = { report: ofUsers, account: 'acme', params: {}, timeZone: 'UTC' }
  const asOf = endedByMs === undefined ? {} : { endedByMs }
  const prepared = await warehouse.transaction((tx) => prepareReport(tx, { ...request, ...asOf }), {
    snapshot: true,
    keeps: true,
  })
  return prepared.coverage
}

it('the details of a run in a pruned month are shown as no longer kept', async () => {
  const of = (id: number) => ({ account: 'acme', id })
  const [old, kept] = [await readRun(warehouse, of(5)), await readRun(warehouse, of(200))]
  expect(old?.keptFrom).toBe('2026-04-01T00:00:00.000Z')
  expect(old && detailOf(old).said).toEqual([
    { text: 'The details of runs before 2026-04-01 are no longer kept.', times: 1 },
  ])
  expect(kept?.keptFrom).toBeUndefined()
  expect(kept && detailOf(kept).said).toEqual([])
})
