import { type RawBuilder, sql } from 'kysely'
import { arrayText } from '../connection/array-text.ts'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'

/** A row of the manifest as it lies there; whether its line says the same is for who checks it. */
export interface ManifestRow {
  seq: number
  kind: string
  subject: string
  line: string
  hash: Buffer
  /** Null once an erasure has removed it. */
  salt: Buffer | null
}

export interface NewEntry {
  seq: number
  kind: string
  subject: string
  line: string
  /** In hex. */
  hash: string
  /** In hex; null once an erasure has removed it. */
  salt: string | null
}

/**
 * Until the transaction ends nobody else adds to the account's manifest: jobs that store files side by side
 * take turns, so that the chain has one end.
 */
export async function lockManifest(tx: Transaction, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${account}, ${MANIFEST_LOCK}))`.execute(
    tx,
  )
}

/** The last entry: what the next one follows. */
export async function lastEntry(
  tx: Transaction,
  account: string,
): Promise<{ seq: number; hash: Buffer } | undefined> {
  const { rows } = await sql<{ seq: number; hash: Buffer }>`
    select seq, hash from callsheet.manifest where account = ${account}
    order by seq desc limit 1`.execute(tx)
  return rows[0]
}

/** The entries of some kinds on the subjects, those of a subject together and in their order. */
export async function entriesOf(
  tx: Transaction,
  account: string,
  { subjects, kinds }: { subjects: readonly string[]; kinds: readonly string[] },
): Promise<ManifestRow[]> {
  const { rows } =
    await sql<ManifestRow>`${entries(account)} and m.kind = any(${[...kinds]}::text[])
      and m.subject = any(${[...subjects]}::text[]) order by m.subject, m.seq`.execute(tx)
  return rows
}

/** Entries in their order, from one to another, both included. */
export function entriesBySeq(
  tx: Transaction,
  account: string,
  { from, to }: { from: number; to: number },
): AsyncGenerator<ManifestRow> {
  const query = sql<ManifestRow>`${entries(account)} and m.seq between ${from} and ${to} order by m.seq`
  return cursorRows(tx, 'entries from to', query)
}

/**
 * The leaves (`leafHash`) of entries in their order, some at a time and one after the other in a buffer. The
 * database hashes the lines: brought here they would be a hundred times as much to clear away.
 */
export function leavesBySeq(
  tx: Transaction,
  account: string,
  { from, to }: { from: number; to: number },
): AsyncGenerator<{ leaves: Buffer }> {
  const query = sql<{ leaves: Buffer }>`
    select string_agg(sha256('\\x00'::bytea || convert_to(line, 'UTF8')), ''::bytea order by seq) as leaves
    from callsheet.manifest where account = ${account} and seq between ${from} and ${to}
    group by (seq - ${from}) / ${LEAVES_A_ROW} order by min(seq)`
  return cursorRows(tx, 'leaves from to', query)
}

/** How many entries there are of each kind, and the hash of the last. */
export async function countEntries(
  tx: Transaction,
  account: string,
  { from, to }: { from: number; to: number },
): Promise<{ kinds: Record<string, number>; lastHash: Buffer }> {
  const { rows } = await sql<{ kind: string; counted: number; last: Buffer | null }>`
    select kind, count(*)::int as counted,
      (array_agg(hash) filter (where seq = ${to}))[1] as last
    from callsheet.manifest where account = ${account} and seq between ${from} and ${to}
    group by kind`.execute(tx)
  const kinds = Object.fromEntries(rows.map(({ kind, counted }) => [kind, counted]))
  return { kinds, lastHash: rows.find(({ last }) => last !== null)?.last ?? Buffer.alloc(0) }
}

/** The entries of some kinds on a stream's subjects, those of a subject together and in their order. */
export function entriesBySubject(
  tx: Transaction,
  account: string,
  { stream, kinds }: { stream: string; kinds: readonly string[] },
): AsyncGenerator<ManifestRow> {
  const query = sql<ManifestRow>`${entries(account)} and m.kind = any(${[...kinds]}::text[])
    and starts_with(m.subject, ${`${stream}/`}) order by m.subject, m.seq`
  return cursorRows(tx, `entries of ${stream}`, query)
}

/** The entries on the subjects that a query answers, in their order or by subject; and some beside. */
export function entriesAmong(
  tx: Transaction,
  account: string,
  {
    subjects,
    by,
    beside = [],
  }: { subjects: RawBuilder<unknown>; by: 'seq' | 'subject'; beside?: readonly number[] },
): AsyncGenerator<ManifestRow> {
  const order = by === 'seq' ? sql`m.seq` : sql`m.subject, m.seq`
  const also = beside.length === 0 ? sql`` : sql`or m.seq = any(${[...beside]}::bigint[])`
  const query = sql<ManifestRow>`
    ${entries(account)} and (m.subject in (${subjects}) ${also}) order by ${order}`
  return cursorRows(tx, `entries by ${by}`, query)
}

/** Salts of entries after one, a few of them: where the entries themselves are not there. */
export async function saltsAfter(
  tx: Transaction,
  account: string,
  seq: number,
): Promise<{ seq: number }[]> {
  const { rows } = await sql<{ seq: number }>`
    select seq from callsheet.manifest_salts where account = ${account} and seq > ${seq}
    order by seq limit 100`.execute(tx)
  return rows
}

/**
 * The entries after one that take something away, by what the line says, which is what is signed, or else by
 * what the row does.
 */
export async function readingEntries(
  tx: Transaction,
  account: string,
  after: number,
): Promise<ManifestRow[]> {
  const { rows } = await sql<ManifestRow>`
    ${entries(account)} and m.seq > ${after} and (m.kind in ('erasure', 'removal')
      or m.line ~ '"kind":"(erasure|removal)"') order by m.seq`.execute(tx)
  return rows
}

export async function insertEntries(
  tx: Transaction,
  account: string,
  added: readonly NewEntry[],
): Promise<void> {
  const column = (name: 'seq' | 'kind' | 'subject' | 'line' | 'hash' | 'salt') =>
    arrayText(added.map((entry) => entry[name]))
  await sql`
    insert into callsheet.manifest (account, seq, kind, subject, line, hash)
    select ${account}, seq, kind, subject, line, decode(hash, 'hex')
    from unnest(${column('seq')}::bigint[], ${column('kind')}::text[], ${column('subject')}::text[],
      ${column('line')}::text[], ${column('hash')}::text[])
      as e(seq, kind, subject, line, hash)`.execute(tx)
  await sql`
    insert into callsheet.manifest_salts (account, seq, salt)
    select ${account}, seq, decode(salt, 'hex')
    from unnest(${column('seq')}::bigint[], ${column('salt')}::text[]) as e(seq, salt)
    where salt is not null`.execute(tx)
}

/** The database's time, which entries and heads state. */
export async function databaseTime(tx: Transaction): Promise<string> {
  const { rows } = await sql<{ at: string }>`
    select to_char(callsheet.clock() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`.execute(
    tx,
  )
  return rows[0]?.at ?? ''
}

function entries(account: string): RawBuilder<ManifestRow> {
  return sql<ManifestRow>`
    select m.seq, m.kind, m.subject, m.line, m.hash, s.salt from callsheet.manifest m
      left join callsheet.manifest_salts s using (account, seq)
    where m.account = ${account}`
}

const LEAVES_A_ROW = 16
/** Any number that no other lock of ours has. */
const MANIFEST_LOCK = 2_026_000_011
