import { sql } from 'kysely'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { insertRun } from './fixture.ts'

/** Inserts `count` recordings of October with two files each, every tenth in the trash, and their run. */
export async function insertRecordings(
  warehouse: Warehouse,
  { account, finishedAt, count }: { account: string; finishedAt: string; count: number },
): Promise<void> {
  const runId = await insertRun(warehouse, {
    account,
    job: 'recordings',
    finishedAt,
    slices: [
      {
        stream: 'recording_sessions',
        slice: '2026-10-01..2026-11-01',
        from: '2026-10-01T00:00:00Z',
        to: '2026-11-01T00:00:00Z',
      },
    ],
  })
  const meta = sql`'{}', decode(md5(n::text), 'hex'), ${finishedAt}::timestamptz,
    ${finishedAt}::timestamptz, ${runId}`
  const began = sql`'2026-10-01Z'::timestamptz + make_interval(hours => 7 * n)`
  await sql`
    insert into svc.recording_sessions (account, session_id, session_key, session_name, start_time, trashed,
      _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${account}, 's' || n, 'team-' || n % 5, 'Session ' || n, ${began}, n % 10 = 0, ${meta}
    from generate_series(1, ${count}::int) n`.execute(warehouse.db)
  await sql`
    insert into svc.recording_files (account, session_id, file_key, ordinal, id, file_type, file_size,
      recording_type, deleted_time, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${account}, 's' || n, 'f' || n || '-' || type, 0, 'f' || n || '-' || type, type, 1000000 * n,
      'shared_screen', case when n % 10 = 0 then '2026-11-10Z'::timestamptz end, ${meta}
    from generate_series(1, ${count}::int) n, unnest(array['MP4', 'M4A']) type`.execute(
    warehouse.db,
  )
}
