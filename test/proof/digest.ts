import { type RawBuilder, sql } from 'kysely'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { STRAY_STATES } from '../helpers/slice-states.ts'
import { KILLED_JOBS } from './lane-jobs.ts'

const STREAMS = KILLED_JOBS.flatMap((job) => job.streams)

/** What a database holds, by part, each as a count and an ordered md5. */
export type Digest = Readonly<Record<string, string>>

/**
 * Two databases with the same digest hold the same: rows with all their columns and instants, versions, and
 * what was found. Left out is only which run it was.
 */
export async function digestOf(warehouse: Warehouse, sinceRunId: number): Promise<Digest> {
  const tables = STREAMS.flatMap(({ name }) => [rows(name), versions(name)])
  const parts = [...tables, slices(sinceRunId), ...LEDGERS]
  const { rows: found } = await sql<{ part: string; digest: string }>`
    ${sql.join(parts, sql` union all `)}`.execute(warehouse.db)
  return Object.fromEntries(found.map((one) => [one.part, one.digest]))
}

export function differentParts(expected: Digest, came: Digest): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(came)])]
  return names
    .filter((name) => expected[name] !== came[name])
    .map((name) => `${name} is ${came[name]}, undisturbed ${expected[name]}`)
}

/** Every rule about the ledgers that this database breaks, in words. */
export async function ledgerFaults(warehouse: Warehouse): Promise<string[]> {
  const rules = [...STREAMS.map(({ name }) => sumsRule(name)), ...RULES]
  const { rows: found } = await sql<{ fault: string }>`
    select fault from (${sql.join(rules, sql` union all `)}) as broken(fault)`.execute(warehouse.db)
  return found.map(({ fault }) => fault)
}

function part(name: string, row: RawBuilder<unknown>, from: RawBuilder<unknown>) {
  return sql`select ${name}::text as part, count(*) || ' '
    || coalesce(md5(string_agg(row, '' order by row collate "C")), '') as digest
    from (select md5((${row})::text) as row from ${from}) each_row`
}

const rows = (stream: string) =>
  part(
    stream,
    sql`to_jsonb(t) - '_run_id' - '_deleted_run_id' - '_salt'`,
    sql`${sql.id('svc', stream)} t`,
  )

const versions = (stream: string) =>
  part(
    `${stream} before`,
    sql`to_jsonb(h) - '_run_id' - '_deleted_run_id' - '_salt' - '_ended_by_run'`,
    sql`${sql.id('history', stream)} h`,
  )

/**
 * What the runs since then read until the first of them came to its end: a chain of stopped runs together
 * enters each slice once, as one run would. Days around the ends of months are read again before the months
 * that are left.
 */
const slices = (sinceRunId: number) =>
  part(
    'slices',
    sql`array[s.account, stream, slice, s.state, checked::text, received::text]`,
    sql`callsheet.slices s join callsheet.runs r on r.id = s.run_id and r.id > ${sinceRunId}
      and s.slice not like 'around=%'
      and not exists (select 1 from callsheet.runs p where p.account = r.account and p.job = r.job
        and p.id > ${sinceRunId} and p.id < r.id and p.state in ('complete', 'incomplete'))`,
  )

/** Each finding once: whoever reads again after a run came to its end finds the same again. */
const ledger = (table: string, row: RawBuilder<unknown>) =>
  part(
    table,
    sql`row`,
    sql`(select distinct ${row} as row from ${sql.id('callsheet', table)}) each`,
  )

const LEDGERS = [
  ledger('deletion_candidates', sql`array[account, stream, key::text, since::text]`),
  ledger('deletion_guards', sql`array[account, stream, missing::text, owned::text]`),
  ledger('quarantine', sql`array[account, stream, reason, payload]`),
  ledger('files', sql`array[account, kind, parent, item, state, reason, sha256::text]`),
  ledger('incidents', sql`array[account, kind, subject, detail]`),
  ledger('drift', sql`array[account, stream, kind, path, example]`),
]

/**
 * I6: the sums of what the batches say they wrote are what became of the tables. A row that came back was
 * updated without a version of its own, since the one before ended when it went.
 */
function sumsRule(stream: string): RawBuilder<unknown> {
  const table = sql.id('svc', stream)
  const history = sql.id('history', stream)
  return sql`select format('%s: batches say +%s ~%s -%s, the tables +%s ~%s -%s', ${stream}::text,
      b.inserted, b.updated, b.deleted, t.inserted, h.changed + h.deleted - t.hidden, h.deleted)
    from (select coalesce(sum(inserted), 0) as inserted, coalesce(sum(updated), 0) as updated,
        coalesce(sum(deleted), 0) as deleted from callsheet.batches where stream = ${stream}) b,
      (select count(*) as inserted, count(*) filter (where _deleted_at is not null) as hidden
        from ${table}) t,
      (select count(*) filter (where _end = 'changed') as changed,
        count(*) filter (where _end = 'deleted') as deleted from ${history}) h
    where (b.inserted, b.updated, b.deleted) is distinct from
      (t.inserted, h.changed + h.deleted - t.hidden, h.deleted)`
}

const RULES = [
  sql`select format('%s %s of run %s: %s received, but %s counted', stream, slice, run_id, received,
      inserted + updated + unchanged + ignored + quarantined)
    from callsheet.slices where state = 'complete'
      and received <> inserted + updated + unchanged + ignored + quarantined`,
  sql`select format('%s %s is %s times in run %s', stream, slice, count(*), run_id)
    from callsheet.slices group by account, stream, slice, run_id having count(*) > 1`,
  sql`select format('the state of %s %s is not what the ledger says', stream, slice)
    from (${sql.raw(STRAY_STATES)}) stray`,
  sql`select format('run %s (%s) is still open', id, job) from callsheet.runs where state = 'running'`,
  sql`select format('%s runs of %s in epoch %s', count(*), job, epoch) from callsheet.runs
    group by account, job, epoch having count(*) > 1`,
  sql`select format('the lease of %s is still held', account) from callsheet.leases
    where holder is not null`,
  sql`select format('the token of %s is still claimed', account) from callsheet.tokens
    where claimed_by is not null`,
]
