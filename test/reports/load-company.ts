import { sql } from 'kysely'
import { startSandbox } from '../../sandbox/server/server.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import * as fixture from './fixture.ts'

/** Loads the sessions of the simulated company as it knows them, in the table as a sync leaves them. */
export async function loadCompany(
  warehouse: Warehouse,
  { account, seed }: { account: string; seed: number },
): Promise<void> {
  const nowMs = Date.parse('2026-07-08T02:30:00Z')
  const sandbox = await startSandbox({ nowMs, seed, sizes: { users: 100 } })
  const run = { ...fixture.sessionRun(account, '2026-07-08T02:30:00Z'), slices: [WINDOW] }
  const runId = await fixture.insertRun(warehouse, run)
  const load = (rows: readonly unknown[]) =>
    sql`insert into svc.session_reports (account, id, session_key, start_time, end_time, duration,
        user_count, has_voip, has_pstn, has_recording, has_video, has_screen_share, audio_quality,
        video_quality, screen_share_quality, _raw, _hash, _first_seen_at, _changed_at, _run_id)
      select ${account}, id, session_key, start_time, end_time, duration, user_count, has_voip, has_pstn,
        has_recording, has_video, has_screen_share, audio_quality, video_quality, screen_share_quality,
        '{}', decode(md5(id), 'hex'), '2026-07-08T02:00:00Z', '2026-07-08T02:00:00Z', ${runId}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t(id text, session_key text,
        start_time timestamptz, end_time timestamptz, duration bigint, user_count bigint,
        has_voip boolean, has_pstn boolean, has_recording boolean, has_video boolean,
        has_screen_share boolean, audio_quality text, video_quality text, screen_share_quality text)
      `.execute(warehouse.db)
  let batch: unknown[] = []
  for await (const row of sandbox.truth('session_reports')) {
    if (batch.push(row) < 10_000) continue
    await load(batch)
    batch = []
  }
  await load(batch)
  await sandbox.close()
}

const WINDOW = {
  stream: 'session_reports',
  slice: 'all',
  from: '2026-01-09T00:00:00Z',
  to: '2026-07-08T00:00:00Z',
}
