import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { frozenClock, systemClock } from '../../../src/core/time/clock.ts'
import { pruneLedger } from '../../../src/serve/ledger/prune-ledgers.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { acquireLease } from '../../../src/warehouse/ledger/lease.ts'
import { testDatabase } from '../../helpers/database.ts'
import { type EvidenceStage, openEvidenceStage } from '../../helpers/evidence-stage.ts'
import { fillOldLedgers, PRUNED_MS } from './old-ledgers.ts'

const account = 'acme'
let stage: EvidenceStage
let warehouse: Warehouse
beforeEach(async () => {
  const database = await testDatabase()
  await fillOldLedgers(database.url)
  stage = await openEvidenceStage(database)
  warehouse = connect({ url: database.url, frozenNow: PRUNED_MS })
  await append()
})
afterEach(async () => {
  await warehouse.close()
  await stage.close()
})

async function append() {
  const lease = await acquireLease(stage.warehouse, { account, job: 'test', clock: systemClock })
  const appended = await stage.append({ account, lease })
  await lease.release()
  return appended
}

async function prune(): Promise<void> {
  const { signal } = new AbortController()
  const deps = { warehouse, clock: frozenClock(PRUNED_MS), observer: silentObserver }
  await pruneLedger({ ...deps, key: () => stage.key }, { ledger: 'slices', months: 6, signal })
}

const findings = async (): Promise<string[]> =>
  (await stage.verify({ account })).findings.map(({ code, what }) => `${code} ${what}`)

async function counted(query: ReturnType<typeof sql<{ rows: number }>>): Promise<number> {
  return (await query.execute(stage.warehouse.db)).rows[0]?.rows ?? Number.NaN
}

describe('a pruned month of a signed ledger', () => {
  it('causes no finding, and the removed slices are stated again and signed', async () => {
    const slices = sql<{ rows: number }>`select count(*)::int as rows from callsheet.slices`
    const before = await counted(slices)
    expect(await findings()).toEqual([])
    await prune()
    expect(await counted(slices)).toBeLessThan(before)
    expect(await findings()).toEqual([])
    expect(await append()).toMatchObject({ signed: 1, problems: [], unexplained: 0 })
    expect(await findings()).toEqual([])
    const withdrawn = sql<{ rows: number }>`select count(*)::int as rows from callsheet.manifest
      where kind = 'erasure' and subject ~ '^ledger/slices/users/'`
    // The slices of the runs from January to March, whose lists were read completely later.
    expect(await counted(withdrawn)).toBeGreaterThan(50)
  })

  it('does not hide that slices were deleted by other means', async () => {
    await prune()
    const taken = sql`delete from callsheet.slices where run_id = 200`
    await taken.execute(stage.warehouse.db)
    expect(await findings()).toContain(
      'stated_missing the slices of users by run 200, which it entered without a statement',
    )
  })
})
