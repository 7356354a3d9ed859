import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Transaction } from '../connect.ts'
import type { AccountThere } from './decide-move.ts'

/** A table with rows of accounts. */
export interface AccountTable {
  /** The table's name with its schema. */
  name: string
  columns: string[]
  /** The sequence of the table's ID column; null if it has no such column. */
  sequence: string | null
  /** Whether a trigger refuses deletions from the table. */
  onlyAdded: boolean
}

/**
 * Returns every table with a column `account`, by the catalog, so that no new table is forgotten. Omits
 * `leases`, which says where an account is. `written` comes after the tables whose triggers write to it.
 */
export async function accountTables(db: Transaction): Promise<AccountTable[]> {
  const { rows } = await sql<AccountTable>`
    select concat(n.nspname, '.', c.relname) as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select pg_get_serial_sequence(c.oid::regclass::text, a.attname) from pg_attribute a
        where a.attrelid = c.oid and a.attidentity <> '') as sequence,
      exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgname = 'only_added') as "onlyAdded"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('svc', 'history', 'callsheet', 'report') and c.relkind in ('r', 'p')
      and not c.relispartition and (n.nspname, c.relname) <> ('callsheet', 'leases')
      and exists (select from pg_attribute where attrelid = c.oid and attname = 'account')
    order by c.relname = 'written' and n.nspname = 'callsheet', n.nspname desc, c.relname`.execute(
    db,
  )
  return rows
}

/** Returns what a database has of an account. Ignores alerts, which health writes before any work. */
export async function heldOf(
  db: Transaction,
  account: string,
  tables: readonly AccountTable[],
): Promise<AccountThere> {
  const lease = await db
    .selectFrom('callsheet.leases')
    .select(['moved_to', sql<string[]>`marks::text[]`.as('marks')])
    .where('account', '=', account)
    .executeTakeFirst()
  const counted = tables.filter(({ name }) => name !== 'callsheet.alerts')
  const some = counted.map(
    ({ name }) => sql`exists (select from ${sql.table(name)} where account = ${account})`,
  )
  const { rows } = await sql<{
    rows: boolean
  }>`select ${sql.join(some, sql` or `)} as rows`.execute(db)
  return {
    rows: rows[0]?.rows === true,
    marks: lease?.marks ?? [],
    movedTo: lease?.moved_to ?? null,
  }
}

/** Returns true if the target has the source's last entry of evidence and last run of the account. */
export async function hasLastOf(
  { source, target }: { source: Transaction; target: Transaction },
  account: string,
): Promise<boolean> {
  const last = await lastWork(source, account, { seq: NEWEST, id: NEWEST })
  return isDeepStrictEqual(await lastWork(target, account, last), last)
}

/** Returns the account's last entry and last run with at most these numbers; 0 and null if it has none. */
async function lastWork(
  db: Transaction,
  account: string,
  { seq, id }: { seq: number; id: number },
): Promise<{ seq: number; line: string | null; id: number; began: string | null }> {
  const { rows } = await sql<Awaited<ReturnType<typeof lastWork>>>`
    select coalesce(m.seq, 0) as seq, m.line, coalesce(r.id, 0) as id, r.started_at::text as began
    from (select) one
    left join (select seq, line from callsheet.manifest
      where account = ${account} and seq <= ${seq} order by seq desc limit 1) m on true
    left join (select id, started_at from callsheet.runs
      where account = ${account} and id <= ${id} order by id desc limit 1) r on true`.execute(db)
  return rows[0] ?? { seq: 0, line: null, id: 0, began: null }
}

const NEWEST = Number.MAX_SAFE_INTEGER

/** The number of an account's rows in a table, and a digest over them in any order. */
export interface TableDigest {
  rows: number
  digest: string
}

/** Counts an account's rows, and digests them in the server's binary form, as in the evidence. */
export async function digestOf(
  db: Transaction,
  { name }: AccountTable,
  account: string,
): Promise<TableDigest> {
  const part = (from: number) =>
    sql`coalesce(sum(('x' || encode(substring(h from ${from} for 8), 'hex'))::bit(64)::bigint::numeric), 0)`
  const { rows } = await sql<TableDigest>`
    select count(*) as rows, concat_ws(' ', ${part(1)}, ${part(9)}) as digest
    from (
      select sha256(record_send(t)) as h from ${sql.table(name)} t where t.account = ${account}) d`.execute(
    db,
  )
  return rows[0] ?? { rows: 0, digest: '' }
}
