import { sql } from 'kysely'
import { DAY_MS } from '../src/core/time/time.ts'
import { addMonths } from '../src/core/time/zone.ts'
import type { Warehouse } from '../src/warehouse/connect.ts'
import {
  insertConsents,
  insertRun,
  numbersRun,
  settingsRun,
  usersRun,
} from '../test/reports/fixture.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

export const REPORT_ACCOUNT = 'bench'
/** The month that is reported on. */
export const REPORT_MONTH = '2026-06'
/** The six months that the report looks at where the configuration says nothing else. */
export const REPORT_MONTHS = [-5, -4, -3, -2, -1, 0].map((at) => addMonths(REPORT_MONTH, at))

const FINISHED = new Date(BENCH_NOW_MS).toISOString()
/** Half a year before, when the numbers were first read. */
const LONG_AGO = new Date(BENCH_NOW_MS - 200 * DAY_MS).toISOString()
const WRITTEN = new Date(BENCH_NOW_MS - 600_000).toISOString()

/** `perMonth` sessions in each of the months, in 4,500 rooms and some without a key, by a run of its own. */
export async function fillSessions(
  warehouse: Warehouse,
  months: readonly string[],
  perMonth: number,
): Promise<void> {
  const [first, last] = [months[0] ?? REPORT_MONTH, months.at(-1) ?? REPORT_MONTH]
  const runId = await insertRun(warehouse, {
    account: REPORT_ACCOUNT,
    job: 'session-reports',
    finishedAt: FINISHED,
    slices: [
      {
        stream: 'session_reports',
        slice: `${first}..${last}`,
        from: `${addMonths(first, -1)}-25T00:00:00Z`,
        to: `${addMonths(last, 1)}-08T00:00:00Z`,
      },
    ],
  })
  for (const month of months)
    await sql`
      insert into svc.session_reports (account, id, session_name, session_key, start_time, end_time,
        duration, user_count, has_voip, has_video, has_screen_share, has_recording, has_pstn,
        has_session_summary, audio_quality, video_quality, screen_share_quality, _raw, _hash,
        _first_seen_at, _changed_at, _run_id)
      select ${REPORT_ACCOUNT}, r.id, r.session_name, r.session_key, r.start_time, r.end_time, r.duration,
        r.user_count, r.has_voip, r.has_video, r.has_screen_share, r.has_recording, r.has_pstn,
        r.has_session_summary, r.audio_quality, r.video_quality, r.screen_share_quality,
        to_jsonb(r) || jsonb_build_object('duration', make_interval(secs => r.duration)::text),
        decode(md5(r.id), 'hex') || decode(md5(r.session_name), 'hex'), ${WRITTEN}, ${WRITTEN}, ${runId}
      from (${sessionsOf(month, perMonth)}) r`.execute(warehouse.db)
}

/** Spread over the month; ratings are missing, good, fair, poor or bad, worse in one week for one team. */
function sessionsOf(month: string, count: number) {
  const first = `${month}-01T00:00:00Z`
  const rating = (byte: number) => sql`case
    when get_byte(h, ${sql.lit(byte)}) < 20 then null when get_byte(h, ${sql.lit(byte)}) < 190 then 'good'
    when get_byte(h, ${sql.lit(byte)}) < 225 then 'fair' when get_byte(h, ${sql.lit(byte)}) < 245 then 'poor'
    else 'bad' end`
  return sql`
    select encode(h, 'base64') as id,
      (array['Consultation', 'Branch advice', 'Class', 'Claims desk', 'Interview'])[1 + n % 5] ||
        ' ' || room || ', cardiology west' as session_name,
      case when n % 50 = 0 then null else (array['consult', 'advice', 'class', 'claims', 'hiring'])
        [1 + n % 5] || '-' || lpad(room::text, 5, '0') end as session_key,
      at as start_time, at + make_interval(secs => seconds) as end_time, seconds as duration,
      2 + get_byte(h, 7) % 14 as user_count, get_byte(h, 8) < 240 as has_voip,
      get_byte(h, 9) < 200 as has_video, get_byte(h, 10) < 90 as has_screen_share,
      get_byte(h, 11) < 40 as has_recording, get_byte(h, 12) < 25 as has_pstn,
      get_byte(h, 13) < 60 as has_session_summary,
      case when n % 5 = 2 and at::date between '2026-06-15' and '2026-06-19' and get_byte(h, 14) < 130
        then 'bad' else ${rating(14)} end as audio_quality,
      ${rating(15)} as video_quality, ${rating(1)} as screen_share_quality
    from (
      select n, h, (get_byte(h, 2) * 256 + get_byte(h, 3)) % 900 as room,
        120 + ((get_byte(h, 0) * 256 + get_byte(h, 1)) * 7) % 7000 as seconds,
        ${first}::timestamptz + (n::float8 / ${count}) *
          (${first}::timestamptz + interval '1 month' - ${first}::timestamptz) as at
      from generate_series(0, ${count}::int - 1) n
        cross join lateral decode(md5(${month} || n), 'hex') h) made`
}

/** `count` numbers of many sorts, 60 % of them assigned, and as many users, every tenth inactive. */
export async function fillNumbers(warehouse: Warehouse, count: number): Promise<void> {
  const old = await insertRun(warehouse, numbersRun(REPORT_ACCOUNT, LONG_AGO))
  const users = await insertRun(warehouse, usersRun(REPORT_ACCOUNT, FINISHED))
  const numbers = await insertRun(warehouse, numbersRun(REPORT_ACCOUNT, FINISHED))
  const settings = await insertRun(warehouse, settingsRun(REPORT_ACCOUNT, FINISHED, ['c1', 'c2']))
  await insertConsents(warehouse, { account: REPORT_ACCOUNT, runId: settings, count })
  const meta = (run: number) => sql`decode(md5(n::text) || md5('v' || n), 'hex'),
    ${WRITTEN}::timestamptz, ${WRITTEN}::timestamptz, ${run}`
  await sql`
    insert into svc.users (account, id, email, display_name, status, _raw, _hash, _first_seen_at,
      _changed_at, _run_id)
    select ${REPORT_ACCOUNT}, 'u' || md5(n::text), 'person' || n || '@example.com', 'Person ' || n,
      case when n % 10 = 0 then 'inactive' else 'active' end,
      jsonb_build_object('id', n, 'display_name', 'Person ' || n, 'type', 2), ${meta(users)}
    from generate_series(1, ${count}::int) n`.execute(warehouse.db)
  await sql`
    insert into svc.phone_numbers (account, id, number, allocated_product, number_type, source, status,
      display_name, capability, carrier_code, carrier_name, emergency_address,
      emergency_address_update_time, address_update_required, location_city, location_country,
      location_state, site_id, site_name, sip_group_id, sip_group_name, _raw, _hash, _first_seen_at,
      _changed_at, _run_id)
    select ${REPORT_ACCOUNT}, md5('number' || n),
      '+1' || lpad((2015550000 + n + 50 * (n / 100) - (n % 250 = 0)::int)::text, 10, '0'),
      (array['SVC_PHONE', 'SVC_PHONE', 'SVC_CONTACT_CENTER', 'UNALLOCATED'])[1 + n % 4],
      (array['Toll', 'Toll', 'TollFree', 'Mobile', 'National'])[1 + n % 5],
      (array['Svc', 'SvcPorted', 'BYOCCloud', 'BYOCPremises'])[1 + n % 4],
      case when n % 50 = 0 then 'Pending' else 'Normal' end, 'Line of person ' || n,
      case when n % 5 = 0 then array['Incoming'] else array['Incoming', 'Outgoing', 'EmergencyCalls'] end,
      10000 + n % 4, (array['Northern Telephone', 'Coastline', 'Alpine Voice', ''])[1 + n % 4],
      case when n % 7 = 0 then null else jsonb_build_object('country', 'US', 'state_code', 'IL', 'zip',
        lpad((n % 90000)::text, 5, '0'), 'city', 'Springfield ' || n % 50,
        'address_line1', n || ' Main Street') end,
      ${WRITTEN}::timestamptz - make_interval(days => n % 300), n % 40 = 0, 'Springfield ' || n % 50,
      (array['US', 'US', 'US', 'DE', 'GB', 'FR', 'JP', 'CA', 'AU'])[1 + n % 9], 'IL', 's' || n % 60,
      'Site ' || n % 60, 'g' || n % 3, (array['Group east', 'Group west', ''])[1 + n % 3],
      jsonb_build_object('id', n, 'number', n, 'status', 'Normal', 'display_name', 'Line of ' || n),
      decode(md5(n::text) || md5('v' || n), 'hex'), ${LONG_AGO}::timestamptz,
      ${WRITTEN}::timestamptz - make_interval(days => n % 180), ${numbers}
    from generate_series(1, ${count}::int) n`.execute(warehouse.db)
  await sql`
    insert into svc.phone_number_assignments (account, phone_number_id, assigned_to_type, assigned_to_id,
      source_channel, ordinal, assigned_to_name, extension_number, _raw, _hash, _first_seen_at,
      _changed_at, _run_id)
    select ${REPORT_ACCOUNT}, md5('number' || n), 'User', 'u' || md5(n::text), 'Voice', 0, 'Person ' || n,
      (1000 + n)::text, jsonb_build_object('assigned_to_id', n, 'extension_number', 1000 + n),
      ${meta(numbers)}
    from generate_series(1, ${count}::int) n where n % 10 < 6`.execute(warehouse.db)
  await fillHistory(warehouse, { old, count })
}

/** Each number was pending before it was as it is, and those that nobody has were somebody's. */
async function fillHistory(
  warehouse: Warehouse,
  { old, count }: { old: number; count: number },
): Promise<void> {
  await sql`
    insert into history.phone_numbers
    select (jsonb_populate_record(n, '{"status": "Pending"}')).*, _first_seen_at, _changed_at, ${old},
      'changed'
    from svc.phone_numbers n where account = ${REPORT_ACCOUNT}`.execute(warehouse.db)
  await sql`
    insert into history.phone_number_assignments (account, phone_number_id, assigned_to_type, assigned_to_id,
      source_channel, ordinal, assigned_to_name, extension_number, _raw, _hash, _first_seen_at, _changed_at,
      _run_id, _valid_from, _valid_to, _ended_by_run, _end)
    select ${REPORT_ACCOUNT}, md5('number' || n), 'User', 'u' || md5(n::text), 'Voice', 0, 'Person ' || n,
      (1000 + n)::text, '{}', '\\x00', ${LONG_AGO}, ${LONG_AGO}, ${old}, ${LONG_AGO},
      ${WRITTEN}::timestamptz - make_interval(days => n % 150), ${old}, 'deleted'
    from generate_series(1, ${count}::int) n where n % 10 >= 6`.execute(warehouse.db)
}

/** A night later: every hundredth number has another name and site, by a run that is complete. */
export async function changeNumbers(warehouse: Warehouse): Promise<void> {
  const night = BENCH_NOW_MS + DAY_MS
  const finishedAt = new Date(night).toISOString()
  const at = new Date(night - 600_000).toISOString()
  const runId = await insertRun(warehouse, numbersRun(REPORT_ACCOUNT, finishedAt))
  await sql`
    insert into history.phone_numbers
    select n.*, _changed_at, ${at}, ${runId}, 'changed' from svc.phone_numbers n
    where account = ${REPORT_ACCOUNT} and get_byte(_hash, 0) % 100 = 7`.execute(warehouse.db)
  await sql`
    update svc.phone_numbers set display_name = display_name || ' (new)', site_name = 'Site 7',
      _changed_at = ${at}, _run_id = ${runId}
    where account = ${REPORT_ACCOUNT} and get_byte(_hash, 0) % 100 = 7`.execute(warehouse.db)
}
