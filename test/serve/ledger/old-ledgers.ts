import { type RawBuilder, sql } from 'kysely'
import { connect, type Transaction, type Warehouse } from '../../../src/warehouse/connect.ts'
import { remakeAllStates } from '../../helpers/slice-states.ts'

/** The time of the pruning, which keeps six months before it, from April on. */
export const PRUNED_MS = Date.UTC(2026, 9, 2, 6)
export const KEPT_FROM = '2026-04-01T00:00:00.000Z'
const ACCOUNT = 'acme'
const NIGHTS = 270

/**
 * A nightly job, complete every second night, with a list that fails since March and one last read in
 * January; and in the other ledgers, old entries and new ones.
 */
export async function fillOldLedgers(url: string): Promise<void> {
  await makeLedgerMonths(url)
  const warehouse = connect({ url, frozenNow: PRUNED_MS })
  const { db } = warehouse
  await fillNights(db)
  for (const statement of OTHERS) await sql.raw(statement).execute(db)
  await remakeAllStates(db)
  await warehouse.close()
}

/** Creates the ledgers' partitions from January 2026 to October. */
export async function makeLedgerMonths(url: string): Promise<void> {
  for (let month = 0; month < 10; month += 2) {
    const then = connect({ url, poolSize: 1, frozenNow: Date.UTC(2026, month, 2) })
    for (const ledger of ['slices', 'quota'])
      await sql`select callsheet.make_partitions('callsheet', ${ledger})`.execute(then.db)
    await then.close()
  }
}

async function fillNights(db: Transaction): Promise<void> {
  const at = sql`'2026-01-05T02:00:00Z'::timestamptz + night * interval '1 day'`
  const summary = sql`'{"read": ["users"], "tables": {"users": {"present": 3}}}'::jsonb`
  await sql`insert into callsheet.runs (account, job, epoch, state, started_at, finished_at, planned, summary)
    select ${ACCOUNT}, 'users', 1, case when night % 2 = 0 then 'complete' else 'failed' end, ${at},
      ${at} + interval '1 hour', '{"users": 1}', ${summary}
    from generate_series(1, ${NIGHTS}::int) night`.execute(db)
  const slices = (names: RawBuilder<unknown>) => sql`
    insert into callsheet.slices (account, stream, slice, run_id, state, requested_at, finished_at, pages,
      received, inserted, updated, unchanged, ignored, quarantined, deleted, error)
    select ${ACCOUNT}, 'users', n.slice, r.id, n.state, r.started_at, r.finished_at, 1, 1, 0, 0, 1, 0,
      n.quarantined, 0, case n.state when 'failed' then 'HTTP 500' end
    from callsheet.runs r cross join lateral (${names}) n(slice, state, quarantined)`
  await slices(sql`select 'status=active', 'complete', 0
    union all select 'status=pending', 'complete', 1
    union all select 'status=inactive', 'failed', 0 where r.started_at > '2026-03-15'
    union all select 'status=gone', 'complete', 0 where r.started_at < '2026-01-20'`).execute(db)
  await sql`insert into callsheet.batches
      (account, run_id, batch, stream, inserted, updated, unchanged, deleted, left_part, at)
    select account, id, 1, 'users', 1, 0, 0, 0, 0, finished_at from callsheet.runs`.execute(db)
}

const DAYS = `unnest(array['2026-01-15', '2026-07-15']::timestamptz[]) at`
const notified = (id: number, at: string, state = 'stored') => `
  insert into callsheet.notifications overriding system value
  select ${id}, 'acme', 'room.created', null, '${at}', '${at}', 'hash-${id}', '${state}', '{}', '{}',
    '{}', ''`

/** Entries of the other ledgers. Those that are never pruned are all old. */
const OTHERS = [
  `insert into callsheet.quarantine (account, stream, slice, run_id, at, reason, payload)
   select 'acme', 'users', slice, 1, at, 'key', slice || at
   from unnest(array['status=active', 'status=pending', 'never read']) slice, ${DAYS}`,
  `insert into callsheet.task_runs (account, task, due_at, state, started_at, finished_at, detail)
   select 'acme', task, at, 'complete', at, at, '{}' from (
     select 'often' as task, '2026-01-01'::timestamptz + n * interval '1 day' as at
     from generate_series(1, 40) n
     union all select 'seldom', '2026-01-01') t order by at`,
  `insert into callsheet.alerts (channel, cause, code, subject, level, sentence, todo, since, recovered_at)
   select 'mail', 'c-' || coalesce(at::text, 'open'), 'c', 's', 'red', '', '', '2026-01-01', at
   from (select at from ${DAYS} union all select null) a`,
  `insert into callsheet.quota select 'acme', 'light', at, 5 from ${DAYS}`,
  `insert into callsheet.quota values ('acme', 'light', '2025-07-01', 5)`,
  notified(1, '2026-01-15'),
  notified(2, '2026-01-16'),
  notified(3, '2026-01-17', 'unknown'),
  notified(4, '2026-07-15'),
  `insert into callsheet.event_states
   values ('acme', 'room', '{r}', 'there', '2026-01-16', 1, 'hash-2', 2)`,
  `insert into callsheet.calls (account, operation, asked_by, asked_at, state, arguments)
   values ('acme', 'users.get', 'ann', '2026-01-15', 'done', '{}')`,
  `insert into callsheet.deletion_guards (account, stream, run_id, missing, owned, at, approved_at)
   values ('acme', 'users', 1, 9, 9, '2026-01-15', '2026-01-15')`,
  `insert into callsheet.incidents (account, kind, subject, at, detail)
   values ('acme', 'missing', 's', '2026-01-15', '')`,
  `insert into callsheet.published_reports (account, report, params, as_of, run_ids, published_at, files)
   values ('acme', 'r', '{}', '2026-01-15', '{1}', '2026-01-15', '[]')`,
]

/** All rows of the ledgers. */
export async function ledgersOf({ db }: Warehouse): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {}
  for (const name of NAMES) {
    const row = sql<{ row: object }>`select to_jsonb(t) as row
      from ${sql.id('callsheet', name)} t order by to_jsonb(t)::text collate "C"`
    all[name] = (await row.execute(db)).rows.map((one) => one.row)
  }
  return all
}

const NAMES = [
  ...(['slices', 'slice_states', 'runs', 'batches', 'quota', 'quarantine', 'task_runs'] as const),
  ...(['alerts', 'notifications', 'event_states', 'calls', 'deletion_guards'] as const),
  ...(['incidents', 'published_reports', 'retention'] as const),
]
