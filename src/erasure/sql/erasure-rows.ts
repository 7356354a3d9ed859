import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import {
  columnsOf,
  keyTexts,
  sameKey,
  tableOf,
  typedKeys,
} from '../../warehouse/schema/table-sql.ts'
import { mayName, rowText } from './mentioning-rows.ts'

export interface ErasureScope {
  account: string
  stream: Stream
}

/** One version of a row, as lossless JSON, with its physical place. */
export interface StoredVersion {
  where: 'svc' | 'history'
  key: string[]
  table: string
  place: string
  /** The whole row as the database prints it as JSON, with every column by its name. */
  row: string
  /** The exact bytes of an audited record, as text. */
  source: string | null
}

/**
 * Returns the next keys after a given one, in order, of rows with a version that contains one of the
 * patterns. The caller must check the rows, because not all of them name the person.
 */
export async function keysLike(
  db: Transaction,
  { account, stream }: ErasureScope,
  {
    patterns,
    after,
    limit,
  }: { patterns: readonly string[]; after: readonly string[] | undefined; limit: number },
): Promise<string[][]> {
  const own = stream.key.map((name) => sql<string>`${sql.id('t', name)}::text collate "C"`)
  const last = (after ?? []).map((part) => sql`${part}::text`)
  const later = sql<boolean>`(${sql.join(own)}) > (${sql.join(last)})`
  const from = (schema: 'svc' | 'history') =>
    db
      .selectFrom(tableOf(schema, stream).as('t'))
      .select(own.map((part, at) => part.as(`k${at}`)))
      .where('t.account', '=', account)
      .$if(after !== undefined, (rows) => rows.where(later))
      .where(mayName(rowText([schema, stream.name]), patterns))
  const parts = sql.join(own.map((_, at) => sql`${sql.id(`k${at}`)} collate "C"`))
  const rows = await db
    .selectFrom(from('svc').union(from('history')).as('t'))
    .select(sql<string[]>`array[${parts}]`.as('key'))
    .orderBy(parts)
    .limit(limit)
    .execute()
  return rows.map(({ key }) => key)
}

/** Returns all versions of the rows with these keys. Changing them requires the account's lease. */
export async function readVersions(
  db: Transaction,
  { account, stream }: ErasureScope,
  keys: readonly (readonly string[])[],
): Promise<StoredVersion[]> {
  const versions: StoredVersion[] = []
  for (const where of ['svc', 'history'] as const) {
    const rows = await db
      .selectFrom(tableOf(where, stream).as('t'))
      .innerJoin(typedKeys(stream, keys).as('k'), (join) => join.on(sameKey(stream, 't', 'k')))
      .select([
        keyTexts(stream, 't').as('key'),
        sql<string>`t.tableoid::text`.as('table'),
        sql<string>`t.ctid::text`.as('place'),
        sql<string>`to_jsonb(t)::text`.as('row'),
        sql<string | null>`convert_from(t._bytes, 'UTF8')`.as('source'),
      ])
      .where('t.account', '=', account)
      .execute()
    versions.push(...rows.map((row) => ({ where, ...row })))
  }
  return versions
}

/** Whether this database role may delete users, and so may erase. A role that only syncs need not. */
export async function mayErase(db: Transaction): Promise<boolean> {
  const { may } = await db
    .selectNoFrom(({ fn, val }) =>
      fn<boolean>('has_table_privilege', [val('svc.users'), val('delete')]).as('may'),
    )
    .executeTakeFirstOrThrow()
  return may
}

export async function deleteVersions(
  tx: Transaction,
  { account, stream }: ErasureScope,
  versions: readonly StoredVersion[],
): Promise<void> {
  for (const where of ['svc', 'history'] as const) {
    const own = versions.filter((version) => version.where === where)
    if (own.length === 0) continue
    await tx
      .deleteFrom(tableOf(where, stream).as('t'))
      .using(placesOf(own).as('p'))
      .where('t.account', '=', account)
      .where(sql<boolean>`t.tableoid = p.lies_in and t.ctid = p.place`)
      .execute()
  }
}

/** Sets columns of a version to the values of a patch in JSON, and replaces its salt. */
export async function patchVersion(
  tx: Transaction,
  { account, stream }: ErasureScope,
  {
    version,
    patch,
    columns,
  }: { version: StoredVersion; patch: string; columns: readonly string[] },
): Promise<void> {
  const table = sql.id<Record<string, unknown>>(version.where, stream.name)
  const given = sql`jsonb_populate_record(null::${table}, ${patch}::jsonb)`
  await tx
    .updateTable(table.as('t'))
    .from(given.as('p'))
    // Replaces the salt. With the old salt and the remaining digest, anyone who guesses the old row could
    // prove the guess.
    .set({ ...columnsOf('p', columns), _salt: sql`uuid_send(gen_random_uuid())` })
    .where('t.account', '=', account)
    .where('t.tableoid', '=', sql`${version.table}::oid`)
    .where('t.ctid', '=', sql`${version.place}::tid`)
    .execute()
}

/** Returns the physical places as a relation with the columns `lies_in` (the table's OID) and `place`. */
export function placesOf(
  versions: readonly { table: string; place: string }[],
): RawBuilder<unknown> {
  const tables = versions.map(({ table }) => table)
  const places = versions.map(({ place }) => place)
  return sql`(select a::oid as lies_in, b::tid as place
    from unnest(${tables}::text[], ${places}::text[]) as u(a, b))`
}
