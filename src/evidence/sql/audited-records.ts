import { type AliasableExpression, type AliasedExpression, type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { columnList, keyRows, sameKey, tableOf } from '../../warehouse/schema/table-sql.ts'

/** One version of an audited record; `content` is the SHA-256 of its content. */
export interface RecordVersion {
  subject: string
  content: Buffer
  size: number
  /** The run that wrote the version. */
  run: number
}

export interface OfStream {
  account: string
  stream: Stream
}

/** A position in the order of written versions: a run, and the key of a record that the run wrote. */
export interface RecordPlace {
  runId: number
  key: readonly string[]
}

/** The schema of the current rows (`svc`) or of earlier versions (`history`). */
export type RowSchema = 'svc' | 'history'

/** Returns up to `limit` places after `place`, ordered by run and key. */
export async function touchedKeys(
  tx: Transaction,
  { account, stream, where }: OfStream & { where: RowSchema },
  { place, limit }: { place: RecordPlace; limit: number },
): Promise<RecordPlace[]> {
  const keys = columnList(stream.key, 't')
  const seen = sql`(${place.runId}::bigint, ${sql.join(place.key.map((part) => sql`${part}::text`))})`
  const rows = await tx
    .selectFrom(tableOf(where, stream).as('t'))
    .select(['t._run_id as run', sql<string[]>`array[${keys}]::text[]`.as('key')])
    .where('t.account', '=', account)
    .where('t._run_id', '>=', place.runId)
    .where(sql`(t._run_id, ${keys})`, '>', seen)
    .groupBy(sql`t._run_id, ${keys}`)
    .orderBy(sql`t._run_id, ${keys}`)
    .limit(limit)
    .execute()
  return rows.map(({ run, key }) => ({ runId: run, key }))
}

/** The place before a run's first key: the empty text sorts before every part of a key. */
export function startOf(stream: Stream, runId: number): RecordPlace {
  return { runId, key: stream.key.map(() => '') }
}

/** All versions of the records with these keys, ordered by subject and age, oldest first. */
export async function versionsOf(
  tx: Transaction,
  of: OfStream,
  keys: readonly (readonly string[])[],
): Promise<RecordVersion[]> {
  return await versions(tx, of, keyRows(of.stream, keys)).select(VERSION).execute()
}

/** All versions of a stream's records, by subject. */
export function versionsBySubject(tx: Transaction, of: OfStream): AsyncGenerator<RecordVersion> {
  return cursorRows(tx, `versions of ${of.stream.name}`, versions(tx, of).select(VERSION))
}

export interface RecordContent extends RecordVersion {
  bytes: Buffer
}

/** All versions of the records that a query selects, with their content, by subject. */
export function contentsBySubject(
  tx: Transaction,
  of: OfStream,
  keys: RecordKeys,
): AsyncGenerator<RecordContent> {
  const query = versions(tx, of, keys.as('k')).select([...VERSION, 'bytes'])
  return cursorRows(tx, `contents of ${of.stream.name}`, query)
}

/** A query for keys of records, with a column for each part of the key, named like the part. */
export type RecordKeys = AliasableExpression<object>

/** The subjects of the records that a query selects. */
export function subjectsOf(stream: Stream, keys: RecordKeys): RawBuilder<string> {
  return sql<string>`select ${subjectOf(stream, 'k')} from ${keys.as('k')}`
}

/** `<stream>/<part of the key>/...`, each part percent-encoded. */
export function subjectOf(stream: Stream, alias: string): RawBuilder<string> {
  const parts = stream.key.map(
    (name) => sql` || '/' || callsheet.subject_part(${sql.id(alias, name)})`,
  )
  return sql<string>`(${stream.name}::text${sql.join(parts, sql``)}) collate "C"`
}

/**
 * The versions of records that have bytes. A deleted record's last version comes from the history. The
 * database computes the digests, so that it need not send large records.
 */
function versions(
  tx: Transaction,
  { account, stream }: OfStream,
  named?: AliasedExpression<object, 'k'>,
) {
  const from = (where: RowSchema, ended: RawBuilder<string>) => {
    const all = tx.selectFrom(tableOf(where, stream).as('t'))
    const found =
      named === undefined ? all : all.innerJoin(named, (join) => join.on(sameKey(stream, 'k', 't')))
    return found
      .select(({ fn, ref }) => [
        subjectOf(stream, 't').as('subject'),
        fn<Buffer>('sha256', ['t._bytes']).as('content'),
        fn<number>('length', ['t._bytes']).as('size'),
        't._run_id as run',
        ended.as('ended'),
        ref('t._bytes').$notNull().as('bytes'),
      ])
      .where('t.account', '=', account)
      .where('t._bytes', 'is not', null)
  }
  const current = from('svc', sql`'infinity'::timestamptz`).where('t._deleted_at', 'is', null)
  return tx
    .selectFrom(current.unionAll(from('history', sql`t._valid_to`)).as('v'))
    .orderBy('subject')
    .orderBy('ended')
}

const VERSION = ['subject', 'content', 'size', 'run'] as const
