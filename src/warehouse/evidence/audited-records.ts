import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'

/** One version of an audited record, without its content. */
export interface RecordVersion {
  subject: string
  content: Buffer
  size: number
  /** The run that wrote it. */
  run: number
  /** Whether it is the one that reports show. */
  current: boolean
}

/** Where the reading of what runs wrote stands: a run, and the last key of it that was seen. */
export interface RecordPlace {
  runId: number
  key: readonly string[]
}

/** Versions that a run wrote are in the table of current rows or in the one of those before. */
export type Where = 'svc' | 'history'

/** The next keys whose versions were written by the place's run, or a later one, in that order. */
export async function touchedKeys(
  tx: Transaction,
  { account, stream, where }: { account: string; stream: Stream; where: Where },
  { place, limit }: { place: RecordPlace; limit: number },
): Promise<RecordPlace[]> {
  const keys = keyOf(stream, 't')
  const at = sql`(${place.runId}::bigint, ${sql.join(place.key.map((part) => sql`${part}::text`))})`
  const { rows } = await sql<{ run: number; key: string[] }>`
    select t._run_id as run, array[${keys}]::text[] as key from ${sql.id(where, stream.name)} t
    where t.account = ${account} and t._run_id >= ${place.runId} and (t._run_id, ${keys}) > ${at}
    group by t._run_id, ${keys} order by t._run_id, ${keys} limit ${limit}`.execute(tx)
  return rows.map(({ run, key }) => ({ runId: run, key }))
}

/** Before the first key of a run: no part of a key sorts below the empty text. */
export function startOf(stream: Stream, runId: number): RecordPlace {
  return { runId, key: stream.key.map(() => '') }
}

/** All versions of the named records, those of a record in the order in which they came. */
export async function versionsOf(
  tx: Transaction,
  { account, stream }: { account: string; stream: Stream },
  keys: readonly (readonly string[])[],
): Promise<RecordVersion[]> {
  const named = sql`select * from unnest(${sql.join(
    stream.key.map((_, at) => sql`${keys.map((key) => key[at] ?? '')}::text[]`),
  )}) as k(${sql.join(stream.key.map((name) => sql.id(name)))})`
  const { rows } = await sql<RecordVersion>`${versions({ account, stream }, named)}`.execute(tx)
  return rows
}

/** All versions of all records of a stream, by subject. */
export function versionsBySubject(
  tx: Transaction,
  of: { account: string; stream: Stream },
): AsyncGenerator<RecordVersion> {
  return cursorRows(tx, `versions of ${of.stream.name}`, versions(of, undefined))
}

/** A version with its content. */
export interface RecordContent extends RecordVersion {
  bytes: Buffer
}

/** All versions of the records whose keys a query answers, with their content, by subject. */
export function contentsBySubject(
  tx: Transaction,
  of: { account: string; stream: Stream },
  keys: RawBuilder<unknown>,
): AsyncGenerator<RecordContent> {
  const query = versions(of, keys, sql`, t._bytes as bytes`)
  return cursorRows(tx, `contents of ${of.stream.name}`, query as RawBuilder<RecordContent>)
}

/** The subjects of the records whose keys a query answers. */
export function subjectsOf(stream: Stream, keys: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${subjectOf(stream, 'k')} from (${keys}) k`
}

/** `<stream>/<part of the key>/...`, each part percent-encoded. */
export function subjectOf(stream: Stream, alias: string): RawBuilder<unknown> {
  const parts = stream.key.map(
    (name) => sql` || '/' || callsheet.subject_part(${sql.id(alias, name)})`,
  )
  return sql`(${stream.name}::text${sql.join(parts, sql``)}) collate "C"`
}

/**
 * A record that is gone has its last version in the history, where it ended. The database makes the digests,
 * so that no record's size matters to this process.
 */
function versions(
  { account, stream }: { account: string; stream: Stream },
  named: RawBuilder<unknown> | undefined,
  more: RawBuilder<unknown> = sql``,
): RawBuilder<RecordVersion> {
  const from = (where: Where, ended: RawBuilder<unknown>, present: RawBuilder<unknown>) => sql`
    select ${subjectOf(stream, 't')} as subject, sha256(t._bytes) as content,
      length(t._bytes) as size, t._run_id as run, ${where === 'svc'}::boolean as current,
      ${ended} as ended${more}
    from ${sql.id(where, stream.name)} t
      ${named === undefined ? sql`` : sql`join (${named}) k using (${keyList(stream)})`}
    where t.account = ${account} and t._bytes is not null ${present}`
  return sql<RecordVersion>`
    select * from (
      ${from('svc', sql`'infinity'::timestamptz`, sql`and t._deleted_at is null`)}
      union all ${from('history', sql`t._valid_to`, sql``)}) v
    order by subject, ended`
}

function keyOf(stream: Stream, alias: string): RawBuilder<unknown> {
  return sql.join(stream.key.map((name) => sql.id(alias, name)))
}

function keyList(stream: Stream): RawBuilder<unknown> {
  return sql.join(stream.key.map((name) => sql.id(name)))
}
