import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import type { Job } from '../../src/core/define/job.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { sliceHistories } from '../../src/sync/ledger/slice-histories.ts'
import { ledgerAttempts, ledgerHistories, toldAttempts } from '../helpers/ledger-oracle.ts'
import { strayStates } from '../helpers/slice-states.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const account = 'account-0'

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
})
afterAll(() => world.close())

const FAILING = [
  { kind: 'status', status: 500, operation: 'session_reports.list', after: 3 },
  { kind: 'status', status: 404, operation: 'users.get', after: 8, until: 20 },
]

/** The days and faults before each run, and its kind. */
const NIGHTS: Record<string, { days: number; faults?: object[]; full?: boolean; part?: boolean }> =
  {
    'a first run': { days: 0 },
    'a run in the same instant': { days: 0 },
    'a run with failing lists': { days: 1, faults: FAILING, full: true },
    'another run with failing lists': { days: 0, faults: FAILING, full: true },
    'a third one, after which windows are halved': { days: 0, faults: FAILING, full: true },
    'a run of halved windows': { days: 1 },
    'a run of a part of a job': { days: 0, part: true },
    'a run long after, with other windows': { days: 45 },
    'a full run': { days: 1, full: true },
  }

it.each(Object.entries(NIGHTS))(
  'the slice states agree with the ledger after %s',
  async (_what, night) => {
    const { days, faults = [], full = false, part = false } = night
    if (days > 0) {
      await world.advance(days * DAY_MS)
      // Deleted parents take their details and lists along.
      await world.mutate()
    }
    await world.faults(faults)
    const parts = jobs.map(
      (job): Job => ({ ...job, streams: job.streams.slice(0, 1), partial: true }),
    )
    const runs = await world.sync({ full, ...(part ? { jobs: parts } : {}) })
    expect(runs).toHaveLength(jobs.length)
    await expectSame()
  },
)

it('the ledger of these tests has failures, absent lists and slices of other windows', async () => {
  const { rows } = await sql<{ failed: number; absent: number; windows: number }>`
    select count(*) filter (where state = 'failed')::int as failed,
      count(*) filter (where error is not null and state = 'complete')::int as absent,
      count(distinct slice) filter (where stream = 'session_reports')::int as windows
    from callsheet.slices`.execute(world.warehouse.db)
  for (const count of Object.values(rows[0] ?? {})) expect(count).toBeGreaterThan(5)
})

async function expectSame(): Promise<void> {
  const { warehouse } = world
  expect(await strayStates(warehouse.db)).toEqual([])
  expect(await toldAttempts(warehouse, account)).toEqual(await ledgerAttempts(warehouse, account))
  const { rows } = await sql<{ id: number }>`
    select max(id) as id from callsheet.runs`.execute(warehouse.db)
  for (const chainRunId of [1, rows[0]?.id ?? 0])
    for (const { name: stream } of jobs.flatMap((job) => job.streams)) {
      const scope = { account, stream, chainRunId }
      const told = await sliceHistories(warehouse, scope)
      const held = await ledgerHistories(warehouse, scope)
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(held))
    }
}
