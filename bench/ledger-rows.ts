import { sql } from 'kysely'
import { DAY_MS } from '../src/core/time/time.ts'
import { userDetails } from '../src/resources/user-details.ts'
import { connect, type Warehouse } from '../src/warehouse/connect.ts'
import { parentsOf } from '../src/warehouse/load/parent-rows.ts'
import { ensureMonthPartitions } from '../src/warehouse/partitions.ts'
import { remakeAllStates } from '../test/helpers/slice-states.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

export const LEDGER_ACCOUNT = 'bench'
const MONTH_DAYS = 30
/** Nights over which the details are read: of none half of their time is over. */
const SPREAD_NIGHTS = 14

/** The partitions of so many months, of all tables that have any. */
export async function makeMonths(url: string, months: number): Promise<void> {
  for (let month = months; month >= 0; month--) {
    const then = connect({
      url,
      poolSize: 1,
      frozenNow: BENCH_NOW_MS - month * MONTH_DAYS * DAY_MS,
    })
    await ensureMonthPartitions(then)
    await then.close()
  }
}

/**
 * Users with their details, and the ledger of so many nights: each of the details read again once in 30 days,
 * the lists of the users each night. None of the details is due in the end.
 */
export async function fillLedger(
  warehouse: Warehouse,
  { users, nights }: { users: number; nights: number },
): Promise<number> {
  await fillUsers(warehouse, users)
  await fillRuns(warehouse, Math.max(nights, SPREAD_NIGHTS))
  const { sync } = userDetails
  if (sync.kind !== 'fan-out') throw new Error('Details are read by a list for each user')
  const of = { account: LEDGER_ACCOUNT, stream: userDetails, sync }
  const parents = sql`(select id, version, row_number() over () as n from (${parentsOf(of)}) p)`
  const rounds = Math.ceil(nights / MONTH_DAYS)
  for (let round = 0; round < rounds; round++)
    await insertSlices(
      warehouse,
      sql`select 'user_details', 'user=' || id, version,
        (${round * MONTH_DAYS} + n % ${SPREAD_NIGHTS})::int as ago
      from ${parents} u`,
    )
  await insertSlices(
    warehouse,
    sql`select 'users', 'status=' || status, null, ago
      from unnest(array['active', 'inactive', 'pending']) status, generate_series(0, ${nights - 1}::int) ago`,
  )
  await sql`analyze callsheet.slices`.execute(warehouse.db)
  await remakeAllStates(warehouse.db)
  await warehouse.withClient((client) => client.query('vacuum analyze'))
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from callsheet.slices`.execute(warehouse.db)
  return rows[0]?.n ?? 0
}

async function fillUsers({ db }: Warehouse, users: number): Promise<void> {
  const meta = sql`'{}'::jsonb, decode(md5(n::text), 'hex'), ${at(sql`1`)}, ${at(sql`1`)}, 1`
  const people = sql`generate_series(1, ${users}::int) n`
  await sql`insert into svc.users (account, id, email, display_name, status, _raw, _hash, _first_seen_at,
      _changed_at, _run_id)
    select ${LEDGER_ACCOUNT}, md5(n::text), n || '@example.com', 'Person ' || n, 'active', ${meta}
    from ${people}`.execute(db)
  await sql`insert into svc.user_details (account, id, display_name, _raw, _hash, _first_seen_at, _changed_at,
      _run_id)
    select ${LEDGER_ACCOUNT}, md5(n::text), 'Person ' || n, ${meta} from ${people}`.execute(db)
}

/** One of each job a night; the last night's have the highest numbers. */
async function fillRuns({ db }: Warehouse, nights: number): Promise<void> {
  await sql`insert into callsheet.runs (account, job, epoch, state, planned, started_at, finished_at)
    select ${LEDGER_ACCOUNT}, job, 1, 'complete', jsonb_build_object(replace(job, '-', '_'), 1),
      ${at(sql`ago`)} - interval '1 hour', ${at(sql`ago`)}
    from generate_series(${nights - 1}::int, 0, -1) ago, unnest(array['users', 'user-details']) job
    order by ago desc, job`.execute(db)
  await sql`analyze callsheet.runs`.execute(db)
}

async function insertSlices({ db }: Warehouse, entries: ReturnType<typeof sql>): Promise<void> {
  await sql`insert into callsheet.slices (account, stream, slice, version, run_id, state, requested_at,
      finished_at, pages, received, inserted, updated, unchanged, ignored, quarantined, deleted, checked)
    select ${LEDGER_ACCOUNT}, e.stream, e.slice, e.version, r.id, 'complete', ${at(sql`e.ago`)},
      ${at(sql`e.ago`)}, 1, 1, 0, 0, 1, 0, 0, 0, true
    from (${entries}) e(stream, slice, version, ago)
    join callsheet.runs r on r.account = ${LEDGER_ACCOUNT} and r.finished_at = ${at(sql`e.ago`)}
      and r.job = case e.stream when 'users' then 'users' else 'user-details' end`.execute(db)
}

/** So many nights ago. */
function at(ago: ReturnType<typeof sql>) {
  return sql`${new Date(BENCH_NOW_MS).toISOString()}::timestamptz - (${ago}) * interval '1 day'`
}
