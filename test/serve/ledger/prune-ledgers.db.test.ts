import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { listenAtPoints } from '../../../src/core/kill-point.ts'
import { frozenClock } from '../../../src/core/time/clock.ts'
import { pruneLedger } from '../../../src/serve/ledger/prune-ledgers.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'
import { newKey } from '../../helpers/evidence-stage.ts'
import { POINTS } from '../../helpers/kill-points.ts'
import { strayStates } from '../../helpers/slice-states.ts'
import { fillOldLedgers, KEPT_FROM, ledgersOf, PRUNED_MS } from './old-ledgers.ts'

let database: TestDatabase
let warehouse: Warehouse
beforeEach(async () => {
  database = await testDatabase()
  await fillOldLedgers(database.url)
  warehouse = connect({ url: database.url, frozenNow: PRUNED_MS })
})
afterEach(async () => {
  await warehouse.close()
  await database.drop()
})

async function anew(): Promise<void> {
  await warehouse.close()
  await database.drop()
  database = await testDatabase()
  await fillOldLedgers(database.url)
  warehouse = connect({ url: database.url, frozenNow: PRUNED_MS })
}

const { signal } = new AbortController()
const deps = () => ({
  warehouse,
  clock: frozenClock(PRUNED_MS),
  observer: silentObserver,
  key: newKey,
})
const prune = async () => [
  await pruneLedger(deps(), { ledger: 'slices', months: 6, signal }),
  await pruneLedger(deps(), { ledger: 'notifications', months: 6, signal }),
]

async function asked<T>(query: ReturnType<typeof sql<T>>): Promise<T[]> {
  return (await query.execute(warehouse.db)).rows
}

describe('pruning the ledgers', () => {
  it('drops the old months, and keeps recent months and the last entries of each slice', async () => {
    const kept = sql`select to_jsonb(s) as row from callsheet.slices s where finished_at >= ${KEPT_FROM}
      order by run_id, slice`
    const before = { rows: await asked(kept), states: (await ledgersOf(warehouse)).slice_states }
    const [slices] = await prune()
    expect(slices).toMatchObject({ keptFrom: KEPT_FROM.replace('.000Z', 'Z'), putOff: false })
    expect(slices?.months).toHaveLength(6)
    expect(await asked(kept)).toEqual(before.rows)
    expect((await ledgersOf(warehouse)).slice_states).toEqual(before.states)
    expect(before.rows.length).toBeGreaterThan(500)
    const old = await asked(sql<{ slice: string; rows: number }>`
      select slice, count(*)::int as rows from callsheet.slices where finished_at < ${KEPT_FROM}
      group by slice order by slice`)
    expect(old).toEqual([
      { slice: 'status=active', rows: 2 },
      { slice: 'status=gone', rows: 2 },
      // All failures since the list was last read, because it never was.
      { slice: 'status=inactive', rows: 17 },
      { slice: 'status=pending', rows: 2 },
    ])
  })

  it('removes the details of old runs, but no run, and no details that a report still reads', async () => {
    await prune()
    const runs = await asked(sql<{ started: string; whole: boolean; read: string }>`
      select started_at::date::text as started, planned <> '{}' and summary ? 'tables' as whole,
        summary->>'read' as read from callsheet.runs order by id`)
    expect(runs).toHaveLength(270)
    expect(new Set(runs.map(({ read }) => read))).toEqual(new Set(['["users"]']))
    // A reconciliation of April 1 begins with the last complete run before April.
    expect(runs.find(({ whole }) => whole)?.started).toBe('2026-03-30')
    expect(runs.filter(({ whole }) => !whole)).toHaveLength(83)
    const batches = await asked(
      sql<{ rows: number }>`select count(*)::int as rows from callsheet.batches`,
    )
    expect(batches).toEqual([{ rows: 270 - 83 }])
  })

  it('keeps decisions by persons, open items and the current state', async () => {
    const before = await ledgersOf(warehouse)
    await prune()
    const after = await ledgersOf(warehouse)
    for (const name of [
      'calls',
      'deletion_guards',
      'incidents',
      'published_reports',
      'event_states',
    ])
      expect([name, after[name]]).toEqual([name, before[name]])
    const left = async (name: string, column: string) =>
      (
        await asked(sql<{ is: string }>`select ${sql.id(column)}::text as is
          from ${sql.id('callsheet', name)} order by 1`)
      ).map(({ is }) => is)
    expect(await left('notifications', 'id')).toEqual(['2', '3', '4'])
    // `status=active` was later read without quarantined records, so only July's record stays.
    expect(await left('quarantine', 'slice')).toEqual([
      'never read',
      'never read',
      'status=active',
      'status=pending',
      'status=pending',
    ])
    expect(await left('alerts', 'recovered_at')).toEqual(['2026-07-15 00:00:00+00', null])
    expect(await left('quota', 'day')).toEqual(['2026-07-15'])
    expect(await left('task_runs', 'task')).toEqual([...Array<string>(30).fill('often'), 'seldom'])
  })

  it('is completed by the next pruning, wherever it was interrupted', {
    timeout: 120_000,
  }, async () => {
    await prune()
    const wanted = await ledgersOf(warehouse)
    const points = POINTS.filter((name) => name.startsWith('retention:'))
    expect(points).toHaveLength(3)
    for (const name of points) {
      await anew()
      for (let hits = 1; await endedAt(name, hits); hits++)
        expect(await strayStates(warehouse.db)).toEqual([])
      expect(await ledgersOf(warehouse)).toEqual(wanted)
    }
  })

  it('postpones a month that is being read, and leaves its ledger unchanged', async () => {
    const reader = connect({ url: database.url })
    await reader.transaction(async (tx) => {
      await sql`select from callsheet.slices_2026_01 limit 1`.execute(tx)
      expect((await prune())[0]).toMatchObject({ months: ['quota_2026_01'], putOff: true })
    })
    await reader.close()
    expect(await strayStates(warehouse.db)).toEqual([])
    expect((await prune())[0]).toMatchObject({ putOff: false })
  })
})

/** Prunes and fails at a point on its nth hit; returns false if that hit never came. */
async function endedAt(name: string, nth: number): Promise<boolean> {
  let hits = 0
  listenAtPoints((at) => {
    if (at === name && ++hits === nth) throw new Error('ended on purpose')
    return undefined
  })
  try {
    await prune()
    return false
  } catch (error) {
    if (hits !== nth) throw error
    return true
  } finally {
    listenAtPoints(undefined)
  }
}
