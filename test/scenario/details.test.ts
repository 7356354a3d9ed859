import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import type { Job } from '../../src/core/define/job.ts'
import {
  phoneNumberAssignmentDetails,
  phoneNumberDetails,
} from '../../src/resources/phone-number-details.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

const DAY_MS = 86_400_000

/** The jobs that list rows, the job that reads their details, and its operations. */
const PAIRS = [
  [
    ['phone-numbers', 'number-settings'],
    'number-details',
    ['phone_numbers.get', 'ported_orders.get'],
  ],
  [['recordings'], 'recording-details', ['recordings.get']],
  [['users'], 'user-details', ['users.get']],
] as const

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY })
})
afterEach(() => world.close())

describe.each(PAIRS)('rows that %s list and %s reads one by one', (lists, details, operations) => {
  const both = [...lists.map(job), job(details)]
  const streams = job(details).streams

  test('are complete after one sync, and a second sync makes no detail call', async () => {
    const first = await run(both)
    expect(first).toMatchObject({ state: 'complete', problems: [] })
    for (const { name } of streams) expect(first.tables[name]?.inserted).toBeGreaterThan(0)
    await equalsService(streams)
    const before = calls(operations)
    expect(before).toBeGreaterThan(0)
    const again = await run(both)
    expect(again).toMatchObject({ state: 'complete', problems: [] })
    for (const [name, { inserted, updated, deleted }] of Object.entries(again.tables))
      expect({ name, inserted, updated, deleted }).toEqual({
        name,
        inserted: 0,
        updated: 0,
        deleted: 0,
      })
    expect(calls(operations)).toBe(before)
  })

  test('equal the service after days of edits, and each sync finds exactly the edits', async () => {
    await run(both)
    for (const seed of [31, 32, 33]) {
      await world.advance(DAY_MS)
      const changes = await world.mutate({ seed, scale: 3 })
      const found = await run(both)
      expect(found).toMatchObject({ state: 'complete', problems: [] })
      for (const { name } of streams) {
        expect({ name, ...written(found.tables[name]) }).toEqual({
          name,
          ...written(changes[name]),
        })
      }
      await equalsService(streams)
    }
  })

  test('are read by their own job from the stored parents', async () => {
    await run(lists.map(job))
    expect(await run([job(details)])).toMatchObject({ state: 'complete', problems: [] })
    await equalsService(streams)
  })
})

test('a deleted number’s details are deleted, even if another job deleted the number', async () => {
  await run([job('phone-numbers'), job('number-details')])
  const { rows } = await sql<{ id: string; uses: number }>`
    select phone_number_id as id, count(*)::int as uses
    from svc.phone_number_assignment_details group by 1 order by 2 desc limit 1`.execute(
    world.warehouse.db,
  )
  const { id = '', uses = 0 } = rows[0] ?? {}
  await world.mutate({ ops: [{ kind: 'numbers', action: 'remove', id }] })
  await run([job('phone-numbers')])
  const { tables } = await run([job('number-details')])
  expect(tables.phone_number_details).toMatchObject({ deleted: 1 })
  expect(tables.phone_number_assignment_details).toMatchObject({ deleted: uses })
  await equalsService([phoneNumberDetails, phoneNumberAssignmentDetails])
})

test('changes that affect only a number’s details are found within a month', async () => {
  const both = [job('phone-numbers'), job('number-details')]
  await run(both)
  const ops = Array.from({ length: TINY.numbers }, (_, index) => ({
    kind: 'numbers',
    action: 'change',
    index,
    patch: { label: 'Relabelled' },
  }))
  await world.mutate({ ops })
  await world.advance(14 * DAY_MS)
  const before = calls(['phone_numbers.get'])
  await run(both)
  expect(calls(['phone_numbers.get'])).toBe(before)
  await world.advance(2 * DAY_MS)
  await run(both)
  const share = calls(['phone_numbers.get']) - before
  expect(share).toBe(Math.floor((2 * TINY.numbers) / 30))
  await world.advance(14 * DAY_MS)
  const found = await run(both)
  expect(calls(['phone_numbers.get'])).toBe(before + TINY.numbers)
  expect(found.tables.phone_number_assignment_details?.updated).toBeGreaterThan(0)
  await equalsService([phoneNumberDetails, phoneNumberAssignmentDetails])
})

test('a trashed recording has no details until it is recovered', async () => {
  const both = [job('recordings'), job('recording-details')]
  await run(both)
  const { rows } = await sql<{ files: number }>`
    select count(*)::int as files from svc.recording_audio_files where _deleted_at is null`.execute(
    world.warehouse.db,
  )
  const trash = (state: string) =>
    Array.from({ length: TINY.recordings }, (_, index) => ({
      kind: 'recordings',
      action: 'change',
      index,
      patch: { trash: state, deletedMs: Date.parse(WORLD_NOW) - DAY_MS },
    }))
  await world.mutate({ ops: trash('session').slice(0, 12) })
  const emptied = await run(both)
  expect(emptied).toMatchObject({ state: 'complete', problems: [] })
  expect(emptied.tables.recording_details?.deleted).toBeGreaterThan(9)
  await equalsService(both[1]?.streams ?? [])
  const before = calls(['recordings.get'])
  await run(both)
  expect(calls(['recordings.get'])).toBe(before)
  await world.mutate({ ops: trash('none') })
  expect(await run(both)).toMatchObject({ state: 'complete', problems: [] })
  await equalsService(both[1]?.streams ?? [])
  expect(rows[0]?.files).toBeGreaterThan(0)
})

test('the PIN of a ported order is not stored in the database', async () => {
  await run([job('number-settings'), job('number-details')])
  const { rows } = await sql<{ orders: number; pins: number }>`
    select count(*)::int as orders, count(*) filter (where concat(d::text, encode(_bytes, 'escape'))
      ~ 'pin')::int as pins from svc.ported_order_details d
    where _raw->'original_billing_info' ? 'company'`.execute(world.warehouse.db)
  expect(rows).toEqual([{ orders: 37, pins: 0 }])
})

/** Adds inserted and updated rows: a row that returns is an update of the table, and new at the service. */
function written(counts: { inserted: number; updated: number; deleted: number } | undefined) {
  const { inserted = 0, updated = 0, deleted = 0 } = counts ?? {}
  return { written: inserted + updated, deleted }
}

function job(name: string): Job {
  const found = jobs.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no job ${name}`)
  return found
}

/** Returns the result of the last job; the others must be complete. */
async function run(wanted: readonly Job[]): Promise<RunResult> {
  const results = await world.sync({ jobs: wanted })
  const last = results.at(-1)
  if (last === undefined) throw new Error('No run')
  for (const one of results.slice(0, -1)) expect(one).toMatchObject({ state: 'complete' })
  return last
}

async function equalsService(streams: Job['streams']): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
}

function calls(operations: readonly string[]): number {
  const asked = world.sandbox.stats().operations
  return operations.reduce((sum, operation) => sum + (asked[operation] ?? 0), 0)
}
