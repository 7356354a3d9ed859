import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import sessionReportsJob from '../../../jobs/session-reports.ts'
import usersJob from '../../../jobs/users.ts'
import { createCircuitBreaker } from '../../../src/core/circuit-breaker.ts'
import type { Job } from '../../../src/core/define/job.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import type { Stream } from '../../../src/core/define/stream.ts'
import { listenAtPoints } from '../../../src/core/kill-point.ts'
import { prepareRow } from '../../../src/core/records/prepare-row.ts'
import { hashOf } from '../../../src/core/records/record-hash.ts'
import type { PreparedRow } from '../../../src/core/records/row-batch.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { users } from '../../../src/resources/users.ts'
import { type BatchWriter, batchWriter } from '../../../src/sync/read/batch-writer.ts'
import { openRunContext } from '../../../src/sync/run/open-context.ts'
import type { EngineDeps } from '../../../src/sync/run/run-context.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { acquireLease, type Lease } from '../../../src/warehouse/ledger/lease.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'
import { NOBODY } from '../../helpers/nobody.ts'

let database: TestDatabase
let warehouse: Warehouse
let lease: Lease
/** The number of open transactions, and its maximum. */
let open = 0
let most = 0

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 6 })
  lease = await acquireLease(warehouse, { account: 'a', job: 'test', clock: systemClock })
})
afterAll(async () => {
  await lease.release()
  await warehouse.close()
  await database.drop()
})
beforeEach(() => {
  open = 0
  most = 0
  listenAtPoints((name) => {
    if (name === 'begin:after') most = Math.max(most, ++open)
    if (name === 'commit:before') open--
    // Lets other transactions begin, if they may, while this one is open.
    return name === 'copy:before' || name === 'merge:before'
      ? new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      : undefined
  })
})
afterEach(() => listenAtPoints(undefined))

function writerOf(stream: Stream, job: Job): BatchWriter {
  const deletionGuard = { share: 1, rows: 1 }
  const deps = { warehouse, clock: systemClock, observer: silentObserver, deletionGuard }
  const run = openRunContext(deps as unknown as EngineDeps, {
    account: 'a',
    job,
    lease,
    run: { id: 1, chainRunId: 1 },
    full: false,
    suppression: NOBODY,
    signal: new AbortController().signal,
    onProgress: undefined,
    breaker: createCircuitBreaker(),
  })
  return batchWriter(run, stream)
}

function row(stream: Stream, id: string, note = ''): PreparedRow {
  const record = { id, dept: note, status: 'active', email: 'x@example.com', type: 1 }
  const preparation = { stream, nestedStreams: [], findings: [], quarantined: [] }
  const text = JSON.stringify(record)
  const context = { ordinal: 0, filter: {} }
  return prepareRow(preparation, record, { key: [id], context, text, hash: hashOf(text) })
}

async function fill(
  writer: BatchWriter,
  { stream, batch }: { stream: Stream; batch: number },
): Promise<void> {
  for (let n = 0; n < 1_000; n++) writer.batch.fresh.push(row(stream, `${batch}-${n}`))
  await writer.settle('s')
}

async function countOf(stream: Stream): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.id('svc', stream.name)}`.execute(warehouse.db)
  return Number(rows[0]?.count)
}

describe('batches of rows', () => {
  test('with only new rows are written at most two at a time', async () => {
    const writer = writerOf(users, usersJob)
    for (let batch = 0; batch < 6; batch++) await fill(writer, { stream: users, batch })
    await writer.drain(['s'])
    expect(most).toBe(2)
    expect(await countOf(users)).toBe(6_000)
  })

  test('of windows are written one after the other, because their groups run in parallel', async () => {
    const writer = writerOf(sessionReports, sessionReportsJob)
    for (let batch = 0; batch < 3; batch++) await fill(writer, { stream: sessionReports, batch })
    await writer.drain(['s'])
    expect(most).toBe(1)
    expect(await countOf(sessionReports)).toBe(3_000)
  })

  test('with a known row are written one after the other, in order', async () => {
    const writer = writerOf(users, usersJob)
    const heard: string[] = []
    listenAtPoints((name) => {
      if (name === 'begin:after' || name === 'commit:after') heard.push(name)
      return undefined
    })
    for (const note of ['first', 'second', 'third']) {
      // Versions of one key: in parallel, any of them could be written last.
      writer.batch.known.push(row(users, '0-0', note))
      for (let n = 0; n < 1_000; n++) writer.batch.fresh.push(row(users, `${note}-${n}`))
      await writer.settle('s')
    }
    await writer.drain(['s'])
    expect(heard).toEqual(Array.from({ length: 3 }, () => ['begin:after', 'commit:after']).flat())
    const { rows } = await sql<{ dept: string }>`
      select dept from svc.users where id = '0-0'`.execute(warehouse.db)
    expect(rows).toEqual([{ dept: 'third' }])
  })

  test('stop at the first failure, which each later settle or drain rejects with', async () => {
    const writer = writerOf(users, usersJob)
    listenAtPoints((name) => {
      if (name === 'copy:before') throw new Error('the disk is gone')
      return undefined
    })
    await fill(writer, { stream: users, batch: 90 })
    await expect(writer.drain(['s'])).rejects.toThrow('the disk is gone')
    listenAtPoints(undefined)
    await expect(fill(writer, { stream: users, batch: 91 })).rejects.toThrow('the disk is gone')
    await expect(writer.drain(['s'])).rejects.toThrow('the disk is gone')
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from svc.users where id like '9%'`.execute(warehouse.db)
    expect(Number(rows[0]?.count)).toBe(0)
  })
})

test('one very large row is written at once', async () => {
  const writer = writerOf(sessionReports, sessionReportsJob)
  writer.batch.fresh.push(row(sessionReports, 'light'))
  await writer.settle('weight')
  expect(writer.batch.fresh).toHaveLength(1)
  writer.batch.fresh.push(row(sessionReports, 'heavy', 'x'.repeat(16 * 2 ** 20)))
  await writer.settle('weight')
  expect(writer.batch.fresh).toHaveLength(0)
  await writer.drain(['weight'])
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports where id in ('light', 'heavy') order by id`.execute(
    warehouse.db,
  )
  expect(rows).toEqual([{ id: 'heavy' }, { id: 'light' }])
})
