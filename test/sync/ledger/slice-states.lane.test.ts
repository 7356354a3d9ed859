import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { recordSlices, type SliceEntry } from '../../../src/sync/ledger/coverage.ts'
import { sliceHistories } from '../../../src/sync/ledger/slice-histories.ts'
import type { Transaction, Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'
import { ledgerAttempts, ledgerHistories, toldAttempts } from '../../helpers/ledger-oracle.ts'
import { strayStates } from '../../helpers/slice-states.ts'

const account = 'a'
const stream = 'user_details'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))
afterEach(() => forget(warehouse.db))

describe('the slice states', () => {
  it.each([true, false])(
    'agree with the whole ledger (stored in order of time: %s)',
    async (order) => {
      const check = async (given: Attempt[], held: Guard[]) => {
        const attempts = order
          ? given.toSorted((a, b) => a.day - b.day || a.runId - b.runId)
          : given
        const { told, wanted } = await toldAfter(attempts, held)
        expect(told).toEqual(wanted)
      }
      const attempts = fc.array(attempt, { minLength: 1, maxLength: 14 })
      await fc.assert(fc.asyncProperty(attempts, guards, check), { numRuns: 150 })
    },
  )

  it('keep the newer attempt if an older one is stored later', async () => {
    await enter({ runId: 2, day: 2, slices: ['x'], of: { received: 7 } })
    await enter({ runId: 1, day: 1, slices: ['x'], of: { state: 'failed', error: 'HTTP 500' } })
    const [state] = await toldAttempts(warehouse, account)
    expect(state).toMatchObject({ run_id: 2, state: 'complete' })
    expect(await strayStates(warehouse.db)).toEqual([])
  })

  it('count no entry twice if a commit is retried', async () => {
    for (let tries = 0; tries < 2; tries++)
      await enter({ runId: 1, day: 1, slices: ['x', 'y'], of: { state: 'failed' } })
    const histories = await sliceHistories(warehouse, { account, stream, chainRunId: 1 })
    expect([...histories.values()].map(({ failures }) => failures)).toEqual([1, 1])
  })
})

interface Attempt {
  runId: number
  day: number
  slices: string[]
  of: Partial<SliceEntry>
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  runId: fc.integer({ min: 1, max: 9 }),
  // Few days, so that several attempts have one instant, as on a stopped clock.
  day: fc.integer({ min: 1, max: 6 }),
  slices: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }),
  of: fc.record({
    state: fc.constantFrom('complete', 'complete', 'complete', 'failed', 'not_allowed'),
    checked: fc.boolean(),
    pages: fc.integer({ min: 0, max: 2 }),
    received: fc.integer({ min: 0, max: 2 }),
    quarantined: fc.integer({ min: 0, max: 2 }),
    outside: fc.integer({ min: 0, max: 2 }),
    version: fc.constantFrom('v1', 'v2', undefined),
    final: fc.boolean(),
    error: fc.constantFrom(undefined, undefined, 'HTTP 404'),
  }),
})

const guards = fc.uniqueArray(
  fc.record({
    runId: fc.integer({ min: 1, max: 9 }),
    usedBy: fc.option(fc.integer({ min: 1, max: 9 })),
  }),
  { selector: ({ runId }) => runId, maxLength: 3 },
)

interface Guard {
  runId: number
  usedBy: number | null
}

/** The histories of these attempts by the states and by the ledger. */
async function toldAfter(attempts: readonly Attempt[], held: readonly Guard[]) {
  await forget(warehouse.db)
  for (const each of attempts) await enter(each)
  for (const { runId, usedBy } of held)
    await sql`insert into callsheet.deletion_guards
        (account, stream, run_id, missing, owned, at, used_by_run_id)
      values (${account}, ${stream}, ${runId}, 1, 1, callsheet.clock(), ${usedBy})`.execute(
      warehouse.db,
    )
  const scope = { account, stream, chainRunId: 5 }
  const told = {
    histories: sorted(await sliceHistories(warehouse, scope)),
    attempts: await toldAttempts(warehouse, account),
    stray: await strayStates(warehouse.db),
  }
  const wanted = {
    histories: sorted(await ledgerHistories(warehouse, scope)),
    attempts: await ledgerAttempts(warehouse, account),
    stray: [],
  }
  return { told, wanted }
}

const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

async function enter({ runId, day, slices, of }: Attempt): Promise<void> {
  const entries = slices.map((slice) => ({ ...ENTRY, slice, ...of }))
  await warehouse.transaction(async (tx) => {
    await sql`select set_config('callsheet.now', ${`2026-07-0${day}T00:00:00Z`}, true)`.execute(tx)
    await recordSlices(tx, { account, runId }, entries)
  })
}

async function forget(db: Transaction): Promise<void> {
  await sql`truncate callsheet.slices, callsheet.slice_states, callsheet.deletion_guards`.execute(
    db,
  )
}

const ENTRY: SliceEntry = {
  stream,
  slice: 'x',
  state: 'complete',
  owned: undefined,
  requestedAtMs: Date.parse('2026-07-01T00:00:00Z'),
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
