import { sql } from 'kysely'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { appliedLabel } from '../helpers/applied-label.ts'
import { insertRun, type RunToInsert } from './fixture.ts'

export const FINISHED = '2026-11-20T02:00:00Z'

/** The start of weekly windows, from the middle of August until the end of the run's week. */
const FIRST_WEEK = Date.UTC(2026, 7, 13)
const WEEKS = 15

export interface ArchiveToInsert {
  account: string
  finishedAt?: string
  state?: string
  /** Windows, by their first day, that failed, or were never read (`absent`). */
  failed?: readonly string[]
  absent?: readonly string[]
  /** Sessions without a slice of activities, or whose slice failed (`failedSessions`). */
  unread?: readonly string[]
  failedSessions?: readonly string[]
}

/** Inserts a whiteboard-archives run with a slice for each window and for each existing session. */
export async function insertArchiveRun(
  warehouse: Warehouse,
  { account, finishedAt = FINISHED, state = 'complete', ...without }: ArchiveToInsert,
): Promise<number> {
  const { failed = [], absent = [], unread = [], failedSessions = [] } = without
  const slices: RunToInsert['slices'] = []
  for (let week = 0; week < WEEKS; week++) {
    const [from, to] = [week, week + 1].map((at) => dayOf(FIRST_WEEK + at * 7 * DAY_MS))
    if (from === undefined || to === undefined || absent.includes(from)) continue
    slices.push({
      stream: 'whiteboard_sessions',
      slice: `${from}..${to}`,
      state: failed.includes(from) ? 'failed' : 'complete',
      from: `${from}T00:00:00Z`,
      to: `${to}T00:00:00Z`,
    })
  }
  const runId = await insertRun(warehouse, {
    account,
    job: 'whiteboard-archives',
    state,
    finishedAt,
    slices,
  })
  await sql`
    insert into callsheet.slices (account, stream, slice, run_id, state, requested_at, finished_at, pages,
      received, inserted, updated, unchanged, ignored, quarantined, deleted)
    select account, 'whiteboard_activities', 'session=' || id, ${runId},
      case when id = any(${[...failedSessions]}::text[]) then 'failed' else 'complete' end,
      ${finishedAt}::timestamptz - interval '1 minute', ${finishedAt}::timestamptz - interval '1 minute',
      1, 1, 1, 0, 0, 0, 0, 0
    from svc.whiteboard_sessions
    where account = ${account} and id <> all(${[...unread]}::text[])`.execute(warehouse.db)
  return runId
}

/**
 * Inserts `perDay` sessions a day from September 1 to November 12, on seven boards whose names look like
 * formulas; some last past midnight, and one begins ten minutes before October. Each has two people of the
 * account, one of whom joins twice; every third also has a person from outside.
 */
export async function insertArchive(
  { db }: Warehouse,
  { account, runId, perDay = 3 }: { account: string; runId: number; perDay?: number },
): Promise<void> {
  const meta = sql`'{}', decode(md5(n::text), 'hex'), '2026-11-19T00:00:00Z', '2026-11-19T00:00:00Z',
    ${runId}::bigint`
  const sessions = sql`(
    select n, 's' || lpad(n::text, 6, '0') as id, 'wb-' || n % 7 as board,
      (array['=1+1', '+Retro', '@SUM(A1)', '-minus', 'Plan', '=HYPERLINK("x")', 'Sketch'])[1 + n % 7] as name,
      at, at + make_interval(secs => 1800 + (n * 997) % 9000) as until
    from (select n, '2026-09-01Z'::timestamptz + make_interval(days => n / ${perDay}::int,
        secs => 3600 + (n * 7919) % 80000) as at
      from generate_series(0, 73 * ${perDay}::int - 1) n
      union all select 9000, '2026-09-30T23:50Z'::timestamptz) s)`
  await sql`
    insert into svc.whiteboard_sessions (account, id, start_time, end_time, expire_time, whiteboard_id,
      whiteboard_name, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${account}, id, at, until, at + interval '60 days', board, name, ${meta}
    from ${sessions} s`.execute(db)
  await sql`
    insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
      join_whiteboard_time, ordinal, email, joined_at, leave_whiteboard_time, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${account}, s.id, p.user_id, p.name, to_char(s.at + p.came, 'YYYY-MM-DD HH24:MI:SS'), 0, p.email,
      s.at + p.came, case when p.lasts is not null then s.at + p.came + p.lasts end, ${meta}
    from ${sessions} s cross join lateral (values
      ('u' || n % 5, 'Person ' || n % 5, 'p' || n % 5 || '@example.com', interval '0', interval '10 min'),
      ('u' || n % 5, 'Person ' || n % 5, 'p' || n % 5 || '@example.com', interval '20 min', interval '5 min'),
      ('u' || 5 + n % 4, '=cmd|' || n % 4, 'q' || n % 4 || '@example.com', interval '1 min',
        case when n % 10 = 0 then null else interval '15 min' end),
      (case when n % 3 = 0 then '' end, 'Guest ' || n % 6, '', interval '2 min', interval '8 min')
      ) p(user_id, name, email, came, lasts) where p.user_id is not null`.execute(db)
  await sql`
    insert into svc.whiteboard_activities (account, session_id, id, type, create_time, user_id,
      collaborator_id, collaborator_name, email, content, object_ids, _raw, _hash, _first_seen_at,
      _changed_at, _run_id)
    select ${account}, s.id, 'a' || k, (array['add shape', 'edit text', 'add comment'])[1 + (n + k) % 3],
      s.at + make_interval(mins => k * 7),
      case when outside then '' else 'u' || n % 5 end,
      case when outside then 'ext-' else 'col-' end || n % 6,
      case when outside then 'Guest ' || n % 6 else 'Person ' || n % 5 end,
      case when outside then '' else 'p' || n % 5 || '@example.com' end,
      case when k = 1 then '=SUM(1;2)' when k = 2 then '+49 30 1' end, array['o1', 'o' || k], ${meta}
    from ${sessions} s cross join generate_series(0, 3 + s.n % 3) k
      cross join lateral (select s.n % 3 = 0 and k % 2 = 1 as outside) o`.execute(db)
}

/** Inserts files: of ten, six are stored, one has no row, and one each is expired, missing and removed. */
export async function insertFiles({ db }: Warehouse, account: string): Promise<void> {
  await sql`
    insert into callsheet.files (account, kind, parent, item, state, reason, expires_at, sha256, size,
      state_at, tries)
    select account, 'activity', session_id, id, state,
      case state when 'expired' then 'the archive expired' when 'missing' then 'not found (404)'
        when 'removed' then '=removed by rule' end, create_time + interval '60 days',
      case when state in ('stored', 'removed') then sha256(convert_to(session_id || id, 'UTF8')) end,
      case when state in ('stored', 'removed') then 20000 + length(id) end, '2026-11-19T12:00:00Z', 1
    from (select *, (array['stored', 'stored', 'expired', 'stored', 'missing', 'stored', 'removed', 'stored',
        null, 'stored'])[1 + (hashtext(session_id || id) & 65535) % 10] as state
      from svc.whiteboard_activities where account = ${account}) a
    where state is not null`.execute(db)
}

/** Inserts seven boards in use and five others, shared in all ways; one lists the most collaborators. */
export async function insertBoards(warehouse: Warehouse, account: string): Promise<void> {
  const runId = await insertRun(warehouse, {
    account,
    job: 'whiteboards',
    finishedAt: FINISHED,
    slices: [
      { stream: 'whiteboards', slice: '2026-08-01..2026-09-01' },
      { stream: 'whiteboard_collaborators', slice: 'whiteboard=wb-0' },
      { stream: 'whiteboard_content', slice: 'whiteboard=wb-0' },
      { stream: 'classification_labels', slice: 'all' },
    ],
  })
  const meta = sql`'{}', decode(md5(n::text), 'hex'), '2026-11-19T00:00:00Z', '2026-11-19T00:00:00Z',
    ${runId}::bigint`
  await sql`
    insert into svc.whiteboards (account, whiteboard_id, whiteboard_name, created_by_display_name,
      created_date, modified_date, locked, trashed, share_scope, share_role, share_to_external,
      _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${account}, 'wb-' || n, '=Board ' || n, 'Person 1', '2026-08-10T10:00:00Z', '2026-10-10T10:00:00Z',
      n = 3, n = 5, n % 4, case when n % 4 > 0 then 2 + n % 3 end, n % 2 = 0, ${meta}
    from generate_series(0, 11) n`.execute(warehouse.db)
  await sql`
    insert into svc.whiteboard_collaborators (account, whiteboard_id, collaborator_id, collaborator_name,
      collaborator_type, role, user_id, email, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${account}, 'wb-' || b, 'c' || n, 'Collaborator ' || n, case when n % 5 = 4 then 1 else 0 end,
      case n when 0 then 0 else 1 + n % 4 end, case when n % 5 < 4 then 'u' || n end,
      case when n % 5 < 4 then 'p' || n || '@example.com' end, ${meta}
    from generate_series(0, 11) b
      cross join lateral generate_series(0, case when b = 2 then 999 else 9 end) n`.execute(
    warehouse.db,
  )
  await sql`
    insert into svc.classification_labels (account, classification_id, name, sensitivity_level, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${account}, 'label-' || n, 'Level ' || n, n, ${meta} from generate_series(1, 3) n`.execute(
    warehouse.db,
  )
  for (const applied of [
    { board: 'wb-1', at: '2026-10-01T08:00:00Z', id: 'label-1', name: 'Level 1' },
    { board: 'wb-1', at: '2026-10-02T08:00:00Z', id: 'label-3', name: 'Level 3' },
    { board: 'wb-2', at: '2026-10-02T09:00:00Z', id: 'label-3', name: 'Level 3' },
    { board: 'wb-3', at: '2026-10-03T09:00:00Z', name: null },
  ])
    await appliedLabel(account, applied).execute(warehouse.db)
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10)
}

const DAY_MS = 86_400_000
