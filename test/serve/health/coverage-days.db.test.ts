import { beforeEach, describe, expect, it } from 'vitest'
import { jobs } from '../../../src/account/catalog.ts'
import { DAY_MS } from '../../../src/core/time/time.ts'
import { type DayState, readCoverageDays } from '../../../src/serve/health/coverage-days.ts'
import { recordSlices, type SliceEntry } from '../../../src/sync/ledger/coverage.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})
beforeEach(async () => {
  await warehouse.db.deleteFrom('callsheet.slices').execute()
  await warehouse.db.deleteFrom('callsheet.runs').execute()
})

const NOW_MS = Date.parse('2026-07-08T02:30:00Z')
const at = (text: string) => Date.parse(`${text}Z`)

/** The last days of a stream, by their dates. */
async function daysOf(stream: string): Promise<Record<string, DayState>> {
  const { days, streams } = await readCoverageDays(warehouse, {
    account: 'main',
    jobs,
    nowMs: NOW_MS,
  })
  expect([days.length, days[0], days.at(-1)]).toEqual([90, '2026-04-10', '2026-07-08'])
  const states = streams.find((one) => one.stream === stream)?.states ?? []
  return Object.fromEntries(days.map((day, index) => [day, states[index] as DayState]))
}

describe('a day of a list that is read by time', () => {
  const read = async (entry: Partial<SliceEntry> & { from: string; to: string; asked: string }) => {
    const { from, to, asked, ...rest } = entry
    const slice: SliceEntry = {
      ...EMPTY,
      stream: 'session_reports',
      slice: `${from}..${to}`,
      owned: { fromMs: at(`${from}T00:00`), toMs: at(`${to}T00:00`) },
      requestedAtMs: at(asked),
      ...rest,
    }
    const runId = await run({ job: 'session-reports', startedMs: at(asked) })
    await warehouse.transaction((tx) => recordSlices(tx, { account: 'main', runId }, [slice]))
  }

  it('is not read before anything was', async () => {
    expect(new Set(Object.values(await daysOf('session_reports')))).toEqual(new Set(['not read']))
  })

  it('is complete only where the window was asked for after its end', async () => {
    await read({ from: '2026-07-01', to: '2026-08-01', asked: '2026-07-07T02:00' })
    const days = await daysOf('session_reports')
    expect(days).toMatchObject({
      '2026-06-30': 'not read',
      '2026-07-01': 'complete',
      '2026-07-06': 'complete',
      '2026-07-07': 'incomplete',
      '2026-07-08': 'not read',
    })
  })

  it('is complete today as far as it was asked for', async () => {
    await read({ from: '2026-07-01', to: '2026-08-01', asked: '2026-07-08T02:00' })
    expect((await daysOf('session_reports'))['2026-07-08']).toBe('complete')
  })

  it('is incomplete if its window failed or was not checked, and stays complete once it was', async () => {
    await read({ from: '2026-06-01', to: '2026-06-10', asked: '2026-06-10T02:00' })
    await read({ from: '2026-06-01', to: '2026-06-10', asked: '2026-06-11T02:00', state: 'failed' })
    await read({ from: '2026-06-10', to: '2026-06-12', asked: '2026-06-12T02:00', state: 'failed' })
    await read({ from: '2026-06-12', to: '2026-06-14', asked: '2026-06-14T02:00', checked: false })
    await read({
      from: '2026-06-14',
      to: '2026-06-16',
      asked: '2026-06-16T02:00',
      state: 'not_allowed',
    })
    expect(await daysOf('session_reports')).toMatchObject({
      '2026-06-09': 'complete',
      '2026-06-10': 'incomplete',
      '2026-06-13': 'incomplete',
      '2026-06-15': 'not read',
    })
  })

  it('is complete if several windows own all of it', async () => {
    const halves = { asked: '2026-06-12T02:00' }
    await read({
      ...halves,
      from: '2026-06-10',
      to: '2026-06-11',
      owned: { fromMs: at('2026-06-10T00:00'), toMs: at('2026-06-10T12:00') },
    })
    expect((await daysOf('session_reports'))['2026-06-10']).toBe('incomplete')
    await read({
      ...halves,
      from: '2026-06-10',
      to: '2026-06-12',
      owned: { fromMs: at('2026-06-10T12:00'), toMs: at('2026-06-12T00:00') },
    })
    expect((await daysOf('session_reports'))['2026-06-10']).toBe('complete')
  })
})

describe('a day of a list that is read as a whole', () => {
  const counts = (complete: number, more: object = {}) => ({
    slices: {
      users: { planned: 3, complete, failed: 3 - complete, notAllowed: 0, notRead: 0, ...more },
    },
  })

  it('is complete if a run of it read all that was due', async () => {
    const days = [
      '2026-06-01',
      '2026-06-02',
      '2026-06-03',
      '2026-06-04',
      '2026-06-05',
      '2026-06-06',
    ] as const
    const [whole, part, both, killed, held, refused] = days.map((day) => at(`${day}T01:00`)) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    await run({ startedMs: whole, summary: counts(3) })
    await run({ startedMs: part, summary: counts(2), state: 'incomplete' })
    await run({ startedMs: both, summary: counts(3) })
    await run({ startedMs: both + 3_600_000, summary: counts(0), state: 'failed' })
    await run({ startedMs: killed, state: 'interrupted' })
    const trippedGuards = [{ stream: 'users', missing: 9, owned: 9 }]
    await run({ startedMs: held, summary: { ...counts(3), trippedGuards }, state: 'incomplete' })
    const shut = counts(0, { failed: 0, notAllowed: 3 })
    await run({ startedMs: refused, summary: { ...shut, notAllowed: { users: 'no' } } })
    await run({ startedMs: at('2026-06-07T01:00'), job: 'recordings', summary: {} })
    const read = await daysOf('users')
    expect(days.map((day) => read[day])).toEqual([
      'complete',
      'incomplete',
      'complete',
      'incomplete',
      'incomplete',
      'not read',
    ])
    expect(read['2026-06-07']).toBe('not read')
  })

  it('says nothing of a part of the job that left it out', async () => {
    await run({ startedMs: NOW_MS - DAY_MS, partial: true, summary: { slices: {} } })
    expect((await daysOf('users'))['2026-07-07']).toBe('not read')
  })
})

async function run({
  startedMs,
  job = 'users',
  state = 'complete',
  partial = false,
  summary = {},
}: {
  startedMs: number
  job?: string
  state?: 'complete' | 'incomplete' | 'failed' | 'interrupted'
  partial?: boolean
  summary?: object
}): Promise<number> {
  const started = new Date(startedMs).toISOString()
  const { id } = await warehouse.db
    .insertInto('callsheet.runs')
    .values({
      account: 'main',
      job,
      epoch: 1,
      state,
      partial,
      started_at: started,
      finished_at: started,
      summary: JSON.stringify(summary),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const EMPTY: Omit<SliceEntry, 'stream' | 'slice' | 'owned' | 'requestedAtMs'> = {
  state: 'complete',
  pages: 1,
  received: 0,
  inserted: 0,
  updated: 0,
  unchanged: 0,
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
