import { type Expression, sql } from 'kysely'
import { lockText } from '../connection/advisory-lock.ts'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'
import { anyOf } from '../connection/expressions.ts'

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

/**
 * Until the transaction ends nobody else adds to the account's manifest: jobs that store files side by side
 * take turns, so that the chain has one end.
 */
export async function lockManifest(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: MANIFEST_LOCK })
}

/** The last entry: what the next one follows. */
export async function lastEntry(
  tx: Transaction,
  account: string,
): Promise<{ seq: number; hash: Buffer } | undefined> {
  return await tx
    .selectFrom('callsheet.manifest')
    .select(['seq', 'hash'])
    .where('account', '=', account)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The entries of some kinds on the subjects, those of a subject together and in their order. */
export async function entriesOf(
  tx: Transaction,
  account: string,
  { subjects, kinds }: { subjects: readonly string[]; kinds: readonly string[] },
): Promise<ManifestRow[]> {
  return await entriesOfKinds(tx, account, kinds)
    .where('m.subject', '=', anyOf(subjects))
    .orderBy('m.subject')
    .orderBy('m.seq')
    .execute()
}

/** Entries in their order, from one to another, both included. */
export function entriesBySeq(
  tx: Transaction,
  account: string,
  { from, to }: { from: number; to: number },
): AsyncGenerator<ManifestRow> {
  const query = entries(tx, account)
    .where(({ between }) => between('m.seq', from, to))
    .orderBy('m.seq')
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
  const leaf = sql<Buffer>`sha256('\\x00'::bytea || convert_to(line, 'UTF8'))`
  const query = tx
    .selectFrom('callsheet.manifest')
    .select(({ fn }) =>
      fn.agg<Buffer>('string_agg', [leaf, sql`''::bytea`]).orderBy('seq').as('leaves'),
    )
    .where('account', '=', account)
    .where(({ between }) => between('seq', from, to))
    .groupBy(sql`(seq - ${from}) / ${LEAVES_A_ROW}`)
    .orderBy(({ fn }) => fn.min('seq'))
  return cursorRows(tx, 'leaves from to', query)
}

/** How many entries there are of each kind, and the hash of the last. */
export async function countEntries(
  tx: Transaction,
  account: string,
  { from, to }: { from: number; to: number },
): Promise<{ kinds: Record<string, number>; lastHash: Buffer }> {
  const rows = await tx
    .selectFrom('callsheet.manifest')
    .select(({ fn }) => [
      'kind',
      fn.countAll<number>().as('counted'),
      sql<Buffer | null>`(array_agg(hash) filter (where seq = ${to}))[1]`.as('last'),
    ])
    .where('account', '=', account)
    .where(({ between }) => between('seq', from, to))
    .groupBy('kind')
    .execute()
  const kinds = Object.fromEntries(rows.map(({ kind, counted }) => [kind, counted]))
  return { kinds, lastHash: rows.find(({ last }) => last !== null)?.last ?? Buffer.alloc(0) }
}

/** The entries of some kinds on a stream's subjects, those of a subject together and in their order. */
export function entriesBySubject(
  tx: Transaction,
  account: string,
  { stream, kinds }: { stream: string; kinds: readonly string[] },
): AsyncGenerator<ManifestRow> {
  const query = entriesOfKinds(tx, account, kinds)
    .where(({ fn, val }) => fn<boolean>('starts_with', ['m.subject', val(`${stream}/`)]))
    .orderBy('m.subject')
    .orderBy('m.seq')
  return cursorRows(tx, `entries of ${stream}`, query)
}

/** The entries on the subjects that queries answer, in their order or by subject; and some beside. */
export function entriesAmong(
  tx: Transaction,
  account: string,
  {
    subjects,
    by,
    beside = [],
  }: { subjects: readonly Expression<string>[]; by: 'seq' | 'subject'; beside?: readonly number[] },
): AsyncGenerator<ManifestRow> {
  const query = entries(tx, account)
    .where(({ eb, or }) => {
      const among = sql<string>`(${sql.join(subjects, sql` union all `)})`
      const named = eb('m.subject', 'in', among)
      if (beside.length === 0) return named
      return or([named, eb('m.seq', '=', sql<number>`any(${[...beside]}::bigint[])`)])
    })
    .$if(by === 'subject', (found) => found.orderBy('m.subject'))
    .orderBy('m.seq')
  return cursorRows(tx, `entries by ${by}`, query)
}

/** Salts of entries after one, a few of them: where the entries themselves are not there. */
export async function saltsAfter(
  tx: Transaction,
  account: string,
  seq: number,
): Promise<{ seq: number }[]> {
  return await tx
    .selectFrom('callsheet.manifest_salts')
    .select('seq')
    .where('account', '=', account)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(100)
    .execute()
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
  return await entries(tx, account)
    .where('m.seq', '>', after)
    .where(({ eb, or }) =>
      or([
        eb('m.kind', 'in', ['erasure', 'removal']),
        eb('m.line', '~', '"kind":"(erasure|removal)"'),
      ]),
    )
    .orderBy('m.seq')
    .execute()
}

/** The database's time, which entries and heads state. */
export async function databaseTime(tx: Transaction): Promise<string> {
  const utc = sql<string>`callsheet.clock() at time zone 'UTC'`
  const { at } = await tx
    .selectNoFrom(({ fn, val }) =>
      fn<string>('to_char', [utc, val('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')]).as('at'),
    )
    .executeTakeFirstOrThrow()
  return at
}

function entriesOfKinds(tx: Transaction, account: string, kinds: readonly string[]) {
  return entries(tx, account).where(({ eb, ref }) =>
    eb(ref('m.kind').$castTo<string>(), '=', anyOf(kinds)),
  )
}

function entries(tx: Transaction, account: string) {
  return tx
    .selectFrom('callsheet.manifest as m')
    .leftJoin('callsheet.manifest_salts as s', (join) =>
      join.onRef('s.account', '=', 'm.account').onRef('s.seq', '=', 'm.seq'),
    )
    .select(['m.seq', 'm.kind', 'm.subject', 'm.line', 'm.hash', 's.salt'])
    .where('m.account', '=', account)
}

const LEAVES_A_ROW = 16
/** Any number that no other lock of ours has. */
const MANIFEST_LOCK = 2_026_000_011
