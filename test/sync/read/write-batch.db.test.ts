import { sql } from 'kysely'
import { expect, test } from 'vitest'
import sessionReportsJob from '../../../jobs/session-reports.ts'
import { createCircuitBreaker } from '../../../src/core/circuit-breaker.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { prepareRow } from '../../../src/core/records/prepare-row.ts'
import { hashOf } from '../../../src/core/records/record-hash.ts'
import type { Batch, PreparedRow } from '../../../src/core/records/row-batch.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { writeBatch } from '../../../src/sync/read/write-batch.ts'
import { openRunContext } from '../../../src/sync/run/open-context.ts'
import type { EngineDeps } from '../../../src/sync/run/run-context.ts'
import { newReading, withoutRefused } from '../../../src/sync/run/slice-reading.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { acquireLease } from '../../../src/warehouse/ledger/lease.ts'
import { useWarehouse } from '../../helpers/database.ts'
import { NOBODY } from '../../helpers/nobody.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

function row(id: string): PreparedRow {
  const record = { id, start_time: '2026-05-01T10:00:00Z' }
  const context = { ordinal: 0, filter: {} }
  const preparation = { stream: sessionReports, nestedStreams: [], findings: [], quarantined: [] }
  const text = JSON.stringify(record)
  const found = { key: [id], context, text, hash: hashOf(text) }
  return prepareRow(preparation, record, found)
}

test('a row that the database refuses is quarantined, and every other row is written', async () => {
  const clock = systemClock
  const lease = await acquireLease(warehouse, { account: 'a', job: 'test', clock })
  const deps = { warehouse, clock, observer: silentObserver, deletionGuard: { share: 1, rows: 1 } }
  const run = openRunContext(deps as unknown as EngineDeps, {
    account: 'a',
    job: sessionReportsJob,
    lease,
    run: { id: 1, chainRunId: 1 },
    full: false,
    suppression: NOBODY,
    signal: new AbortController().signal,
    onProgress: undefined,
    breaker: createCircuitBreaker(),
  })
  const rows = Array.from({ length: 101 }, (_, index) => ({
    ...row(`session-${index}`),
    slice: index < 65 ? 'first' : 'second',
  }))
  // A number too large for jsonb. The parser rejects it earlier, so the test plants it here.
  rows[70] = { ...rows[70]!, raw: '{"id":"session-70","n":1e999999}' }
  const batch: Batch = {
    fresh: rows.slice(0, 60),
    known: rows.slice(60),
    quarantined: [],
    findings: [],
  }
  const target = { stream: sessionReports, slice: 's', keepKnown: false }
  const refused = await writeBatch(run, target, batch)
  await lease.release()
  expect(run.noted().tables.session_reports).toMatchObject({ inserted: 100, updated: 0 })
  // The row came from the second slice, whose reading must not count it as written.
  expect(refused).toEqual([{ slice: 'second', kind: 'known' }])
  const of = (slice: string) =>
    newReading({ request: { slice } } as unknown as Parameters<typeof newReading>[0])
  const first = { ...of('first'), fresh: 60, changed: 5 }
  const second = { ...of('second'), changed: 36 }
  expect([first, second].map((reading) => withoutRefused(reading, refused))).toMatchObject([
    { fresh: 60, changed: 5, refused: 0 },
    { fresh: 0, changed: 35, refused: 1 },
  ])
  const held = await sql<{ count: number }>`
    select count(*) as count from svc.session_reports`.execute(warehouse.db)
  expect(held.rows).toEqual([{ count: 100 }])
  const aside = await sql<{ reason: string }>`
    select reason from callsheet.quarantine`.execute(warehouse.db)
  expect(aside.rows).toEqual([{ reason: 'refused by the database (sql_22003)' }])
})
