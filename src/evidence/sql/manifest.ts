import { type Expression, type RawBuilder, sql } from 'kysely'
import { lockText } from '../../warehouse/advisory-lock.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { refuseMoved } from '../../warehouse/ledger/moved.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

/** A stored entry. The verifier checks whether its columns agree with its line. */
export interface ManifestRow {
  seq: number
  kind: string
  /** The subject as the line contains it: in clear, or as a commitment. */
  named: string
  /** The subject in clear; after its erasure, equal to `named`. */
  subject: string
  /** The salt of the line's commitment; null without a commitment, or if an erasure removed it. */
  subjectSalt: Buffer | null
  line: string
  /** The salt of the line's commitment to the content; null once an erasure has removed the salt. */
  salt: Buffer | null
  /** The reason that the key signed together with the entry; null if the key did not sign the entry. */
  basis: string | null
  /** The key's signature of entry and reason; null if the key did not sign the entry. */
  word: Buffer | null
}

/**
 * Locks the account's manifest against other writers until the transaction ends. Jobs that store files in
 * parallel therefore take turns, so the chain does not fork.
 */
export async function lockManifest(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: MANIFEST_LOCK })
  await refuseMoved(tx, account)
}

/** The last entry, with the hash of its line. */
export async function lastEntry(
  tx: Transaction,
  account: string,
): Promise<{ seq: number; hash: Buffer } | undefined> {
  return await tx
    .selectFrom('callsheet.manifest')
    .select(['seq', sql<Buffer>`sha256(convert_to(line, 'UTF8'))`.as('hash')])
    .where('account', '=', account)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The subject of an entry `m` in clear; after its erasure, the line's commitment to it. */
export const toldSubject: RawBuilder<string> = sql`coalesce(m.about, m.subject)`

/** The entries of some kinds about these subjects, ordered by subject and number. */
export async function entriesOf(
  tx: Transaction,
  account: string,
  { subjects, kinds }: { subjects: readonly string[]; kinds: readonly string[] },
): Promise<ManifestRow[]> {
  return await entriesOfKinds(tx, account, kinds)
    .where(toldSubject, '=', anyOf(subjects))
    .orderBy('subject')
    .orderBy('m.seq')
    .execute()
}

/** The salt with which entries commit to each of these subjects; omits subjects without a salt. */
export async function subjectSalts(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<{ subject: string; salt: Buffer }[]> {
  return await tx
    .selectFrom('callsheet.manifest as m')
    .distinctOn('m.about')
    .select(({ ref }) => [
      ref('m.about').$notNull().as('subject'),
      ref('m.about_salt').$notNull().as('salt'),
    ])
    .where('m.account', '=', account)
    .where(toldSubject, '=', anyOf(subjects))
    .where('m.about_salt', 'is not', null)
    .orderBy('m.about')
    .orderBy('m.seq')
    .execute()
}

/** The entries from one number to another, both included, in order. */
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

export async function linesAt(
  tx: Transaction,
  account: string,
  seqs: readonly number[],
): Promise<{ seq: number; line: string }[]> {
  return await tx
    .selectFrom('callsheet.manifest')
    .select(['seq', 'line'])
    .where('account', '=', account)
    .where(sql<boolean>`seq = any(${[...seqs]}::bigint[])`)
    .execute()
}

/**
 * The leaves (`leafHash`) of entries in order, several per buffer. The database hashes the lines, because a
 * line is about ten times as long as its leaf.
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

/** The number of entries of each kind, from one entry number to another. */
export async function countEntries(
  tx: Transaction,
  account: string,
  { from, to }: { from: number; to: number },
): Promise<Record<string, number>> {
  const rows = await tx
    .selectFrom('callsheet.manifest')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('counted')])
    .where('account', '=', account)
    .where(({ between }) => between('seq', from, to))
    .groupBy('kind')
    .execute()
  return Object.fromEntries(rows.map(({ kind, counted }) => [kind, counted]))
}

/** The entries of some kinds about a stream's subjects, ordered by subject and number. */
export function entriesBySubject(
  tx: Transaction,
  account: string,
  { stream, kinds }: { stream: string; kinds: readonly string[] },
): AsyncGenerator<ManifestRow> {
  const query = entriesOfKinds(tx, account, kinds)
    .where(({ fn, val }) => fn<boolean>('starts_with', [toldSubject, val(`${stream}/`)]))
    .orderBy('subject')
    .orderBy('m.seq')
  return cursorRows(tx, `entries of ${stream}`, query)
}

/** The entries about the subjects that the queries return, and the entries numbered `beside`. */
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
      const named = eb(toldSubject, 'in', among)
      if (beside.length === 0) return named
      return or([named, eb('m.seq', '=', sql<number>`any(${[...beside]}::bigint[])`)])
    })
    .$if(by === 'subject', (found) => found.orderBy('subject'))
    .orderBy('m.seq')
  return cursorRows(tx, `entries by ${by}`, query)
}

/** The kinds of entries that the key must sign: they remove something, or state the content of ledgers. */
export const VOUCHED_KINDS = ['erasure', 'removal', 'statement'] as const

/** The entries after the number `after` whose line or row has one of `VOUCHED_KINDS`. */
export async function readingEntries(
  tx: Transaction,
  account: string,
  after: number,
): Promise<ManifestRow[]> {
  return await entries(tx, account)
    .where('m.seq', '>', after)
    .where(({ eb, or }) =>
      or([
        eb('m.kind', 'in', VOUCHED_KINDS),
        eb('m.line', '~', `"kind":"(${VOUCHED_KINDS.join('|')})"`),
      ]),
    )
    .orderBy('m.seq')
    .execute()
}

/** The database's time, which entries record. */
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
    .select(['m.seq', 'm.kind', 'm.subject as named', 'm.about_salt as subjectSalt'])
    .select(['m.line', 'm.salt', 'm.basis', 'm.word'])
    .select(toldSubject.as('subject'))
    .where('m.account', '=', account)
}

const LEAVES_A_ROW = 16
/** The number space of the manifests' advisory locks; no other lock of Callsheet uses it. */
const MANIFEST_LOCK = 2_026_000_011
