import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time/time.ts'
import { recordingFiles, recordingSessions } from '../../../src/resources/recordings.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import type { Transaction, Warehouse } from '../../../src/warehouse/connect.ts'
import {
  countByDay,
  countNotifications,
  daysOfStreams,
} from '../../../src/warehouse/load/daily-counts.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

const DAYS = 365
const A_DAY = 400
const TODAY = 20_000
const account = 'a'
const window = { fromMs: (TODAY - 3) * DAY_MS, toMs: TODAY * DAY_MS }

/** A year of 146,000 sessions, with as many notifications and runs as a busy account has. */
beforeAll(async () => {
  const at = sql`to_timestamp(${TODAY - DAYS} * 86400.0 + n * 86400.0 / ${A_DAY})`
  const book = sql`'{}'::jsonb, sha256('x'), ${at} + interval '1 day', ${at}, 1`
  const all = sql`generate_series(0, ${DAYS * A_DAY - 1}) n`
  await sql`insert into svc.session_reports (account, id, start_time, _raw, _hash, _first_seen_at,
    _changed_at, _run_id) select ${account}, 's' || n, ${at}, ${book} from ${all}`.execute(
    warehouse.db,
  )
  await sql`insert into svc.recording_sessions (account, session_id, start_time, _raw, _hash, _first_seen_at,
    _changed_at, _run_id) select ${account}, 's' || n, ${at}, ${book} from ${all}
    where n % 4 = 0`.execute(warehouse.db)
  await sql`insert into svc.recording_files (account, session_id, file_key, ordinal, _raw, _hash,
    _first_seen_at, _changed_at, _run_id) select ${account}, 's' || n, 'f' || f, 0, ${book}
    from ${all}, generate_series(1, 2) f where n % 4 = 0`.execute(warehouse.db)
  await sql`insert into callsheet.notifications (account, event, received_at, hash, state, subjects, findings,
    body) select ${account}, (array['svcroom.alert', 'svcroom.sensor_data'])[1 + n % 2], ${at},
    sha256(n::text::bytea), (array['stored', 'unknown'])[1 + (n % 4 = 0)::int], '{}', '{}', 'x'
    from ${all}`.execute(warehouse.db)
  const days = JSON.stringify([
    { stream: 'session_reports', fromDay: 1, counts: [1, 2, 3], lateDays: 1 },
  ])
  await sql`insert into callsheet.runs (account, job, epoch, state, started_at, finished_at, summary)
    select ${account}, (array['session-reports', 'users', 'recordings'])[1 + n % 3], 1, 'complete', t, t,
      case n % 3 when 0 then jsonb_build_object('days', ${days}::jsonb) else '{"days": []}' end
    from generate_series(1, 20000) n, lateral (select to_timestamp(1e9 + n * 3600.0) t) t`.execute(
    warehouse.db,
  )
  await sql`vacuum analyze`.execute(warehouse.db)
}, 120_000)

/** Returns the result, and how many rows of a table were read for it. */
async function counted<T>(table: string, work: (tx: Transaction) => Promise<T>) {
  return await warehouse.transaction(async (tx) => {
    // Off, because an index-only scan reads no rows of pages that autovacuum has already marked.
    await sql`set local enable_indexonlyscan = off`.execute(tx)
    const result = await work(tx)
    const { rows } = await sql<{ read: number }>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_all_tables
      where schemaname || '.' || relname like ${table}`.execute(tx)
    return { result, read: rows[0]?.read ?? 0 }
  })
}

describe('the counts of rows by day', () => {
  it('are computed from only the given days of 146,000 rows', async () => {
    const of = {
      account,
      stream: sessionReports,
      root: sessionReports,
      column: 'start_time',
    }
    const { result, read } = await counted('svc.session_reports', (tx) =>
      countByDay(tx, of, window),
    )
    const perDay = Map.groupBy(result, ({ day }) => day)
    expect([...perDay.keys()].toSorted((a, b) => a - b)).toEqual([TODAY - 3, TODAY - 2, TODAY - 1])
    for (const same of perDay.values())
      expect(same.reduce((sum, { rows }) => sum + rows, 0)).toBe(A_DAY)
    expect(read).toBe(3 * A_DAY)
  })

  it('show on which day records were first seen', async () => {
    const of = { account, stream: sessionReports, root: sessionReports, column: 'start_time' }
    const days = await countByDay(warehouse.db, of, window)
    expect(days.map(({ day, seenDay }) => seenDay - day)).toEqual([1, 1, 1])
  })

  it('of files use the day of their recording, and are computed from only the new days', async () => {
    const of = {
      account,
      stream: recordingFiles,
      root: recordingSessions,
      column: 'start_time',
    }
    const { result, read } = await counted('svc.recording_%', (tx) => countByDay(tx, of, window))
    expect(result.reduce((sum, { rows }) => sum + rows, 0)).toBe((3 * A_DAY) / 2)
    expect(read).toBeLessThanOrEqual((3 * A_DAY * 3) / 4)
  })

  it('of notifications include documented events, and are computed from only the new days', async () => {
    const { result, read } = await counted('callsheet.notifications', (tx) =>
      countNotifications(tx, account, window),
    )
    expect(result.filter(({ day }) => day === TODAY - 1)).toEqual([
      { event: 'svcroom.alert', day: TODAY - 1, rows: A_DAY / 4 },
      { event: 'svcroom.sensor_data', day: TODAY - 1, rows: A_DAY / 2 },
    ])
    expect(read).toBe(3 * A_DAY)
  })

  it('are found in the newest runs of each job among 20,000 runs', async () => {
    const { result, read } = await counted('callsheet.runs', (tx) => daysOfStreams(tx, { account }))
    expect(result).toEqual([
      { stream: 'session_reports', fromDay: 1, counts: [1, 2], job: 'session-reports' },
    ])
    expect(read).toBeLessThan(300)
  })
})
