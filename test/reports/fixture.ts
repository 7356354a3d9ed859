import { sql } from 'kysely'
import type { Warehouse } from '../../src/warehouse/connect.ts'

export interface RunToInsert {
  account: string
  job: string
  state?: string
  finishedAt: string
  /** The slices that the run read; windows with their owned range. */
  slices: { stream: string; slice: string; state?: string; from?: string; to?: string }[]
}

/** Inserts a finished run with its slices in the ledger; returns its ID. */
export async function insertRun({ db }: Warehouse, run: RunToInsert): Promise<number> {
  const { account, job, state = 'complete', finishedAt, slices } = run
  const { rows } = await sql<{ id: number }>`
    insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
    values (${account}, ${job}, 1, ${state}, ${finishedAt}::timestamptz - interval '5 minutes',
      ${finishedAt}) returning id`.execute(db)
  const id = rows[0]?.id ?? 0
  for (const { stream, slice, state: sliceState = 'complete', from, to } of slices) {
    await sql`insert into callsheet.slices (account, stream, slice, run_id, state, owned_from, owned_to,
        requested_at, finished_at, pages, received, inserted, updated, unchanged, ignored, quarantined,
          deleted)
      values (${account}, ${stream}, ${slice}, ${id}, ${sliceState}, ${from ?? null}, ${to ?? null},
        ${finishedAt}::timestamptz - interval '2 minutes', ${finishedAt}::timestamptz - interval '1 minute',
        1, 1, 1, 0, 0, 0, 0, 0)`.execute(db)
  }
  return id
}

/** The session-reports run that covers from September to the middle of November 2026. */
export function sessionRun(account: string, finishedAt = '2026-11-20T02:00:00Z'): RunToInsert {
  const windows = ['08-30', '09-13', '09-27', '10-11', '10-25', '11-08', '11-22']
  const slices = windows.slice(1).map((to, index) => {
    const from = windows[index] ?? to
    return {
      stream: 'session_reports',
      slice: `2026-${from}..2026-${to}`,
      from: `2026-${from}T00:00:00Z`,
      to: `2026-${to}T00:00:00Z`,
    }
  })
  return { account, job: 'session-reports', finishedAt, slices }
}

/**
 * Inserts `perDay` sessions a day over 12 session keys from September to November 19; `team-red` has
 * bad audio from October 12 to 16.
 */
export async function insertSessions(
  { db }: Warehouse,
  { account, runId, perDay }: { account: string; runId: number; perDay: number },
): Promise<void> {
  await sql`
    insert into svc.session_reports (account, id, session_name, session_key, start_time, end_time, duration,
      user_count, has_voip, has_video, has_screen_share, has_recording, has_pstn, has_session_summary,
      audio_quality, video_quality, screen_share_quality, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${account}, 's' || lpad(n::text, 7, '0'),
      (array['Weekly planning', 'Customer call', '=HYPERLINK("x")', 'Stand-up', 'Review'])[1 + n % 5],
      key, at, at + make_interval(secs => duration), duration, 1 + (n * 7) % 31,
      n % 20 <> 0, n % 3 <> 0, n % 4 = 0, n % 6 = 0, n % 9 = 0, n % 5 = 0,
      case when n % 41 = 0 then null
        when key = 'team-red' and at::date between '2026-10-12' and '2026-10-16' and n % 7 < 5 then 'bad'
        when n % 53 = 0 then 'bad' when n % 29 = 0 then 'poor' when n % 8 = 0 then 'fair' else 'good' end,
      case when n % 3 = 0 then null when n % 37 = 0 then 'bad' when n % 11 = 0 then 'fair' else 'good' end,
      case when n % 4 <> 0 then null when n % 44 = 0 then 'poor' else 'good' end,
      '{}', decode(md5(n::text), 'hex'), '2026-11-20T01:58:00Z', '2026-11-20T01:58:00Z', ${runId}
    from (
      select n, (array['team-red', 'team-blue', 'team-green', 'sales', 'support', 'board', 'school', 'lab',
          'hiring', 'legal', 'training', 'ops'])[1 + n % 12] as key,
        60 + (n * 7919) % 7500 as duration,
        day + make_interval(secs => 25200 + (n * 1237) % 39600) as at
      from generate_series('2026-09-01Z'::timestamptz, '2026-11-19Z'::timestamptz, interval '1 day') with
          ordinality d(day, number)
        cross join lateral generate_series(d.number * ${perDay}, d.number * ${perDay} + ${perDay} - 1) n
      where extract(isodow from day) < 6 or n % 5 = 0) made`.execute(db)
}

/** Inserts `count` numbers; 60 % are assigned, to users of whom every tenth is inactive. */
export async function insertNumbers(
  { db }: Warehouse,
  {
    account,
    runIds,
    count,
  }: { account: string; runIds: [users: number, numbers: number]; count: number },
): Promise<void> {
  const [usersRun, numbersRun] = runIds
  const meta = (run: number) => sql`'{}', decode(md5(n::text), 'hex'), '2026-10-01T01:00:00Z',
    '2026-10-01T01:00:00Z', ${run}`
  await sql`
    insert into svc.users (account, id, email, display_name, status, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${account}, 'u' || n, 'u' || n || '@example.com', 'Person ' || n,
      case when n % 10 = 0 then 'inactive' else 'active' end, ${meta(usersRun)}
    from generate_series(1, ${count}::int) n`.execute(db)
  await sql`
    insert into svc.phone_numbers (account, id, number, allocated_product, number_type, source, status,
      display_name, capability, carrier_code, carrier_name, emergency_address, address_update_required,
      location_city, location_country, site_id, site_name, sip_group_id, sip_group_name, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${account}, 'n' || lpad(n::text, 6, '0'),
      '+1415' || lpad((5550000 + n - (n % 250 = 0)::int)::text, 7, '0'),
      (array['SVC_PHONE', 'SVC_PHONE', 'SVC_CONTACT_CENTER', 'UNALLOCATED'])[1 + n % 4],
      (array['Toll', 'Toll', 'TollFree', 'Mobile', 'National'])[1 + n % 5],
      (array['Svc', 'SvcPorted', 'BYOCCloud', 'BYOCPremises'])[1 + n % 4],
      case when n % 50 = 0 then 'Pending' else 'Normal' end, null,
      case when n % 5 = 0 then array['Incoming'] else array['Incoming', 'Outgoing', 'EmergencyCalls'] end,
      10000 + n % 4, (array['Northern Telephone', 'Coastline', 'Alpine Voice', ''])[1 + n % 4],
      case when n % 7 = 0 then null when n % 7 = 1 then '{"city": ""}'::jsonb
        else '{"country": "US", "city": "Springfield", "address_line1": "1 Main St"}'::jsonb end,
      n % 40 = 0, 'Springfield', (array['US', 'US', 'US', 'DE', 'GB', 'FR', 'JP', 'CA', 'AU'])[1 + n % 9],
      's' || n % 6, (array['Headquarters', 'Berlin', 'London', 'Paris', 'Tokyo', 'Sydney'])[1 + n % 6],
      'g' || n % 3, (array['Group east', 'Group west', ''])[1 + n % 3], ${meta(numbersRun)}
    from generate_series(1, ${count}::int) n`.execute(db)
  await sql`
    insert into svc.phone_number_assignments (account, phone_number_id, assigned_to_type, assigned_to_id,
      source_channel, ordinal, assigned_to_name, extension_number, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${account}, 'n' || lpad(n::text, 6, '0'), 'User', 'u' || n, 'Voice', 0, 'Person ' || n,
      (1000 + n)::text, ${meta(numbersRun)}
    from generate_series(1, ${count}::int) n where n % 10 < 6`.execute(db)
}

export const usersRun = (account: string, finishedAt: string): RunToInsert => ({
  account,
  job: 'users',
  finishedAt,
  slices: ['active', 'inactive', 'pending'].map((status) => ({
    stream: 'users',
    slice: `status=${status}`,
  })),
})

/** Inserts two policies, and puts the first `count` numbers under the second one. */
export async function insertConsents(
  { db }: Warehouse,
  { account, runId, count }: { account: string; runId: number; count: number },
): Promise<void> {
  const meta = sql`'{}', decode(md5(n::text), 'hex'), '2026-10-01T01:00:00Z',
    '2026-10-01T01:00:00Z', ${runId}`
  await sql`
    insert into svc.sms_consents (account, consent_id, consent_name, used_number, status, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${account}, 'c' || n, (array['Reminders', 'Offers'])[n], 0, true, ${meta}
    from generate_series(1, 2) n`.execute(db)
  await sql`
    insert into svc.sms_consent_numbers (account, consent_id, phone_number_id, phone_number, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    select ${account}, 'c2', 'n' || lpad(n::text, 6, '0'), '+1415' || lpad((5550000 + n)::text, 7, '0'),
      ${meta}
    from generate_series(1, ${count}::int) n`.execute(db)
}

/** The run of number-settings; `consents` are the policies whose numbers it read. */
export const settingsRun = (
  account: string,
  finishedAt: string,
  consents: readonly string[],
): RunToInsert => ({
  account,
  job: 'number-settings',
  finishedAt,
  slices: [
    { stream: 'sms_consents', slice: 'all' },
    ...consents.map((id) => ({ stream: 'sms_consent_numbers', slice: `consent=${id}` })),
  ],
})

export const numbersRun = (account: string, finishedAt: string): RunToInsert => ({
  account,
  job: 'phone-numbers',
  finishedAt,
  slices: [{ stream: 'phone_numbers', slice: 'all' }],
})
