import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LEAST_KEPT_MONTHS } from '../../../src/config/kept-months.ts'
import { DAY_MS } from '../../../src/core/time/time.ts'
import { type Slice, slicesAsOf } from '../../../src/report/report-slices.ts'
import { dropOldMonth, keepLedgerFrom } from '../../../src/serve/ledger/retention.ts'
import { recordSlices, type SliceEntry } from '../../../src/sync/ledger/coverage.ts'
import { refusedSince } from '../../../src/sync/ledger/refused-streams.ts'
import { connect, type Transaction, type Warehouse } from '../../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'
import { strayStates } from '../../helpers/slice-states.ts'
import { makeLedgerMonths } from './old-ledgers.ts'

const account = 'a'
const stream = 'user_details'
/** Each month of 2026 up to September has a partition; the pruning keeps those from April on. */
const NOW_MS = Date.UTC(2026, 9, 2)

let database: TestDatabase
let warehouse: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  await makeLedgerMonths(database.url)
  warehouse = connect({ url: database.url, frozenNow: NOW_MS })
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

describe('a ledger without its old months', () => {
  it('has the same state for every slice at every later moment', async () => {
    const before = fc.array(attempt(1, FIRST_KEPT - 1), { minLength: 1, maxLength: 16 })
    const since = fc.array(attempt(FIRST_KEPT, LAST_RUN), { maxLength: 5 })
    const check = async (old: Attempt[], kept: Attempt[], later: Attempt[]) => {
      const entered = [...old, ...kept]
      const late = later.filter(({ runId }) => !entered.some((one) => one.runId === runId))
      const all = await inLostTransaction(async (tx) => {
        for (const one of entered) await enter(tx, one)
        const first = await told(tx)
        for (const one of late) await enter(tx, one)
        return [first, await told(tx)]
      })
      const left = await inLostTransaction(async (tx) => {
        for (const one of entered) await enter(tx, one)
        expect(await dropAll(tx)).toEqual(['slices_2026_01', 'slices_2026_02', 'slices_2026_03'])
        const first = await told(tx)
        for (const one of late) await enter(tx, one)
        return [first, await told(tx)]
      })
      expect(left).toEqual(all)
    }
    // Shrinking a counterexample would take minutes.
    const options = { numRuns: 40, endOnFailure: true }
    await fc.assert(fc.asyncProperty(before, since, since, check), options)
  })

  it('still counts more than twenty failures correctly after a late entry arrives', async () => {
    const failed = { slices: ['x'], of: { state: 'failed' as const, error: 'HTTP 500' } }
    await inLostTransaction(async (tx) => {
      for (let times = 0; times < 3; times++)
        for (let runId = 1; runId < FIRST_KEPT; runId++)
          await enter(tx, { ...failed, runId: runId + times * 100 }, endedMs(runId))
      await enter(tx, { ...failed, runId: LAST_RUN })
      await dropAll(tx)
      await enter(tx, { ...failed, runId: FIRST_KEPT })
      const { rows } = await sql<{ failures: number; run_id: number }>`
        select failures, run_id from callsheet.slice_states`.execute(tx)
      // The late entry may be counted or not.
      expect(rows[0]?.run_id).toBe(LAST_RUN)
      expect([58, 59]).toContain(rows[0]?.failures)
    })
  })
})

interface Attempt {
  runId: number
  slices: string[]
  of: Partial<SliceEntry>
}

/** An attempt by a run in this range. */
const attempt = (from: number, to: number): fc.Arbitrary<Attempt> =>
  fc.record({
    runId: fc.integer({ min: from, max: to }),
    slices: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }),
    of: fc.record({
      state: fc.constantFrom('complete', 'complete', 'failed', 'not_allowed'),
      checked: fc.boolean(),
      pages: fc.integer({ min: 0, max: 2 }),
      received: fc.integer({ min: 0, max: 2 }),
      version: fc.constantFrom('v1', 'v2', undefined),
      error: fc.constantFrom(undefined, undefined, 'HTTP 404', 'callsheet: no list'),
    }),
  })

/** Returns the dropped months of slices. */
async function dropAll(tx: Transaction): Promise<string[]> {
  await keepLedgerFrom(tx, { ledger: 'slices', months: LEAST_KEPT_MONTHS })
  const months: string[] = []
  for (;;) {
    const month = await dropOldMonth(tx)
    if (month === undefined) return months.filter((name) => name.startsWith('slices'))
    months.push(month)
  }
}

/** Each two runs end at the same instant. The first kept run ends in the first kept month. */
function endedMs(runId: number): number {
  const day = 4 * Math.floor(runId / 2)
  return Date.UTC(2026, 0, 5 + day) + (runId < FIRST_KEPT ? 0 : 60 * DAY_MS)
}

async function enter(
  tx: Transaction,
  { runId, slices, of }: Attempt,
  atMs = endedMs(runId),
): Promise<void> {
  const at = new Date(atMs).toISOString()
  await sql`select set_config('callsheet.now', ${at}, true)`.execute(tx)
  await recordSlices(
    tx,
    { account, runId },
    slices.map((slice) => ({ ...ENTRY, slice, ...of })),
  )
  await sql`select set_config('callsheet.now', ${new Date(NOW_MS).toISOString()}, true)`.execute(tx)
}

/** Returns the slices that reports read, the stored states, states that differ, and the refused streams. */
async function told(tx: Transaction) {
  const slices: Slice[][] = []
  for (const id of [FIRST_KEPT - 1, FIRST_KEPT + 2, LAST_RUN])
    slices.push(await slicesAsOf(tx, { account, stream, run: { ...RUN, id } }))
  const { rows: states } = await sql`
    select * from callsheet.slice_states order by stream, slice`.execute(tx)
  const refused = await refusedSince(tx, { account, streams: [stream] })
  return { slices, states, stray: await strayStates(tx), refused }
}

/** Does work in a transaction that is rolled back, and returns its result. */
async function inLostTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  let done: { value: T } | undefined
  const lost = warehouse.transaction(async (tx) => {
    done = { value: await work(tx) }
    throw new Error('lost on purpose')
  })
  await lost.catch((error: unknown) => {
    if (done === undefined) throw error
  })
  return (done as unknown as { value: T }).value
}

const FIRST_KEPT = 20
const LAST_RUN = 28
const RUN = { job: 'users', state: 'complete', whole: true, finishedAtMs: 0, finishedAt: '' }

const ENTRY: SliceEntry = {
  stream,
  slice: 'x',
  state: 'complete',
  owned: undefined,
  requestedAtMs: Date.UTC(2026, 0, 1),
  pages: 1,
  received: 1,
  inserted: 0,
  updated: 0,
  unchanged: 1,
  ignored: 0,
  quarantined: 0,
  deleted: 0,
  outside: 0,
  serviceTotal: undefined,
  version: undefined,
  possiblyTruncated: false,
  final: false,
  checked: true,
  error: undefined,
}
