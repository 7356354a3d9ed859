import { sql } from 'kysely'
import { DAY_MS } from '../src/core/time/time.ts'
import type { Warehouse } from '../src/warehouse/connect.ts'
import { insertRun } from '../test/reports/fixture.ts'
import { REPORT_ACCOUNT, REPORT_MONTH } from './report-rows.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

const FINISHED = new Date(BENCH_NOW_MS).toISOString()
const WRITTEN = new Date(BENCH_NOW_MS - 600_000).toISOString()
/** As in the demo's company: a dozen activities a session. */
const PER_SESSION = 12
const MONTHS = ['2026-04', '2026-05', REPORT_MONTH]

/**
 * `perMonth` activities in the month that is reported on and as many in each of the two before, in sessions
 * of twelve on 3,000 boards with two to six people, a sixth of them from outside; most files are stored.
 */
export async function fillArchive(warehouse: Warehouse, perMonth: number): Promise<void> {
  const runId = await insertRun(warehouse, {
    account: REPORT_ACCOUNT,
    job: 'whiteboard-archives',
    finishedAt: FINISHED,
    slices: weeks(),
  })
  for (const month of MONTHS) await fillMonth(warehouse, { month, perMonth, runId })
  await sql`
    insert into callsheet.slices (account, stream, slice, run_id, state, requested_at, finished_at, pages,
      received, inserted, updated, unchanged, ignored, quarantined, deleted)
    select account, 'whiteboard_activities', 'session=' || id, ${runId}, 'complete', ${WRITTEN}, ${WRITTEN},
      1, ${PER_SESSION}, ${PER_SESSION}, 0, 0, 0, 0, 0
    from svc.whiteboard_sessions where account = ${REPORT_ACCOUNT}`.execute(warehouse.db)
  await fillFiles(warehouse)
  await fillBoards(warehouse)
}

function weeks() {
  const first = Date.UTC(2026, 0, 1)
  return Array.from({ length: 28 }, (_, week) => {
    const [from, to] = [week, week + 1].map((at) => new Date(first + at * 7 * DAY_MS).toISOString())
    return {
      stream: 'whiteboard_sessions',
      slice: `${from}..${to}`,
      from: from ?? '',
      to: to ?? '',
    }
  })
}

interface Month {
  month: string
  perMonth: number
  runId: number
}

async function fillMonth({ db }: Warehouse, { month, perMonth, runId }: Month): Promise<void> {
  const count = Math.ceil(perMonth / PER_SESSION)
  const meta = sql`sha256(h), ${WRITTEN}::timestamptz, ${WRITTEN}::timestamptz, ${runId}::bigint`
  const first = sql`${`${month}-01T00:00:00Z`}::timestamptz`
  const sessions = sql`(
    select n, h, encode(h, 'base64') as id, 'wb-' || (get_byte(h, 0) * 256 + get_byte(h, 1)) % 3000 as board,
      ${first} + (n::float8 / ${count}) * (interval '1 month' - interval '4 hours') as at,
      2 + get_byte(h, 2) % 5 as people
    from generate_series(0, ${count}::int - 1) n
      cross join lateral decode(md5(${month} || n), 'hex') h)`
  const person = (place: string) => sql`cross join lateral (
    select case when get_byte(h, ${sql.ref(place)} % 16) % 6 = 0 then null
      else (get_byte(h, ${sql.ref(place)} % 16) * 256 + get_byte(h, (${sql.ref(place)} + 5) % 16)) % 8000
      end as u) p`
  const who = sql`coalesce('u' || md5(u::text), '') as user_id,
    coalesce('Person ' || u, 'Guest ' || get_byte(h, 3) % 40) as name,
    coalesce('person' || u || '@example.com', '') as email`
  await sql`
    insert into svc.whiteboard_sessions (account, id, start_time, end_time, expire_time, whiteboard_id,
      whiteboard_name, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${REPORT_ACCOUNT}, id, at, at + interval '2 hours', at + interval '400 days', board,
      'Roadmap of team ' || board, jsonb_build_object('id', id, 'regulated_participants', people), ${meta}
    from ${sessions} s`.execute(db)
  await sql`
    insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
      join_whiteboard_time, ordinal, email, joined_at, leave_whiteboard_time, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${REPORT_ACCOUNT}, id, user_id, name, (at + make_interval(mins => k))::text, 0, email,
      at + make_interval(mins => k), case when get_byte(h, 4) % 30 > 0 then at + interval '1 hour' end,
      jsonb_build_object('user_name', name, 'email', email), ${meta}
    from (select s.*, k, ${who} from ${sessions} s cross join lateral generate_series(1, s.people) k
      ${person('k')}) s`.execute(db)
  await sql`
    insert into svc.whiteboard_activities (account, session_id, id, type, create_time, user_id,
      collaborator_id, collaborator_name, email, content, object_ids, _raw, _bytes, _hash, _first_seen_at,
      _changed_at, _run_id)
    select ${REPORT_ACCOUNT}, id, md5(id || k), (array['add shape', 'move shape', 'edit text',
        'add sticky note', 'add comment', 'upload image', 'add connector'])[1 + (n + k) % 7],
      at + make_interval(mins => k * 5), user_id, 'col-' || user_id, name, email,
      case when k % 3 = 0 then 'Why does this wait? ' || n || ' ' || k end, array['obj-' || n, 'obj-' || k],
      jsonb_build_object('id', id, 'type', 'edit text', 'collaborator_name', name, 'email', email),
      convert_to(repeat(md5(id), 10), 'UTF8'), ${meta}
    from (select s.*, k, who, ${who} from ${sessions} s cross join generate_series(0, ${PER_SESSION} - 1) k
      cross join lateral (select 1 + k % s.people as who) w ${person('who')}) s`.execute(db)
}

async function fillFiles({ db }: Warehouse): Promise<void> {
  await sql`
    insert into callsheet.files (account, kind, parent, item, state, reason, expires_at, sha256, size,
      state_at, tries)
    select account, 'activity', session_id, id, state, case when state <> 'stored' then 'answered 404' end,
      create_time + interval '400 days',
      case when state = 'stored' then sha256(convert_to(id, 'UTF8')) end,
      case when state = 'stored' then 20000 end, ${WRITTEN}, 1
    from (select *, (array['stored', 'expired', 'missing'])[1 + greatest(0, get_byte(_hash, 5) % 20 - 17)]
        as state from svc.whiteboard_activities where account = ${REPORT_ACCOUNT}) a
    where get_byte(_hash, 6) % 20 > 0`.execute(db)
}

async function fillBoards(warehouse: Warehouse): Promise<void> {
  const runId = await insertRun(warehouse, {
    account: REPORT_ACCOUNT,
    job: 'whiteboards',
    finishedAt: FINISHED,
    slices: [
      'whiteboards',
      'whiteboard_collaborators',
      'whiteboard_content',
      'classification_labels',
    ].map((stream) => ({ stream, slice: 'all' })),
  })
  const meta = sql`'{}', decode(md5(b::text), 'hex'), ${WRITTEN}, ${WRITTEN}, ${runId}::bigint`
  await sql`
    insert into svc.whiteboards (account, whiteboard_id, whiteboard_name, created_date, modified_date,
      share_scope, share_role, trashed, locked, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${REPORT_ACCOUNT}, 'wb-' || b, 'Roadmap of team wb-' || b, ${WRITTEN}, ${WRITTEN}, b % 4,
      case when b % 4 > 0 then 2 + b % 3 end, b % 50 = 0, b % 30 = 0, ${meta}
    from generate_series(0, 2999) b`.execute(warehouse.db)
  await sql`
    insert into svc.whiteboard_collaborators (account, whiteboard_id, collaborator_id, collaborator_name,
      collaborator_type, role, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${REPORT_ACCOUNT}, 'wb-' || b, 'c' || n, 'Collaborator ' || n, (n % 7 = 6)::int, n % 5, ${meta}
    from generate_series(0, 2999) b cross join generate_series(1, 8) n`.execute(warehouse.db)
}
