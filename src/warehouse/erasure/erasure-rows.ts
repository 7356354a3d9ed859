import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Identity } from '../../core/erasure/identity.ts'
import { likePattern } from '../../core/erasure/patterns.ts'
import type { Transaction } from '../connection/connect.ts'
import { keysRelation, sameKey } from '../connection/table-sql.ts'

export interface ErasureScope {
  account: string
  stream: Stream
}

/** One version of a row, as JSON without loss, and where it lies. */
export interface StoredVersion {
  where: 'svc' | 'history'
  key: string[]
  table: string
  place: string
  /** The whole row as the database prints it as JSON: every column by its name. */
  row: string
  /** The exact bytes of an audited record, as text. */
  source: string | null
}

/**
 * The keys after one, in their order, of rows in any version of which one of the patterns occurs. That is
 * more than name the person: what the rows say is for the caller to judge.
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
  const keys = sql.join(stream.key.map((name) => sql`${sql.id('t', name)}::text collate "C"`))
  const later =
    after === undefined
      ? sql``
      : sql`and (${keys}) > (${sql.join(after.map((part) => sql`${part}::text`))})`
  const from = (schema: 'svc' | 'history') => sql`
    select ${keys} from ${sql.id(schema, stream.name)} t
      cross join lateral (select t::text as said offset 0) x
    where t.account = ${account} ${later} and (lower(x.said) like any(${[...patterns]}::text[])
      or (callsheet.veiled(x.said)
        and lower(callsheet.unveiled(x.said)) like any(${[...patterns]}::text[])))`
  const names = stream.key.map((_, at) => sql.id(`k${at}`))
  const { rows } = await sql<{ key: string[] }>`
    select array[${sql.join(names)}] as key
    from (${from('svc')} union ${from('history')}) t(${sql.join(names)})
    order by ${sql.join(names.map((name) => sql`${name} collate "C"`))} limit ${limit}`.execute(db)
  return rows.map(({ key }) => key)
}

/** All versions of the rows of these keys, present and past. Who changes them holds the account's lease. */
export async function readVersions(
  db: Transaction,
  { account, stream }: ErasureScope,
  keys: readonly (readonly string[])[],
): Promise<StoredVersion[]> {
  const own = sql.join(stream.key.map((name) => sql`${sql.id('t', name)}::text`))
  const versions: StoredVersion[] = []
  for (const where of ['svc', 'history'] as const) {
    const { rows } = await sql<StoredVersion>`
      with ${keysRelation(stream, keys)}
      select ${where} as "where", array[${own}]::text[] as key,
        t.tableoid::text as "table", t.ctid::text as place,
        to_jsonb(t)::text as row, convert_from(t._bytes, 'UTF8') as source
      from ${sql.id(where, stream.name)} t
        join named k on ${sameKey(stream, 't', 'k')}
      where t.account = ${account}`.execute(db)
    versions.push(...rows)
  }
  return versions
}

/** Whether this role has the rights: who syncs need not. */
export async function mayErase(db: Transaction): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select has_table_privilege('svc.users', 'delete') as may`.execute(db)
  return rows[0]?.may === true
}

export async function deleteVersions(
  tx: Transaction,
  { account, stream }: ErasureScope,
  versions: readonly StoredVersion[],
): Promise<void> {
  for (const where of ['svc', 'history'] as const) {
    const own = versions.filter((version) => version.where === where)
    if (own.length === 0) continue
    await sql`
      delete from ${sql.id(where, stream.name)} t using ${placesOf(own)}
      where t.account = ${account} and t.tableoid = p.lies_in and t.ctid = p.place`.execute(tx)
  }
}

/** Sets the columns that a patch names to its values, given as JSON. */
export async function patchVersion(
  tx: Transaction,
  { account, stream }: ErasureScope,
  {
    version,
    patch,
    columns,
  }: { version: StoredVersion; patch: string; columns: readonly string[] },
): Promise<void> {
  const table = sql.id(version.where, stream.name)
  const set = sql.join(columns.map((name) => sql`${sql.id(name)} = ${sql.id('p', name)}`))
  await sql`
    update ${table} t set ${set} from jsonb_populate_record(null::${table}, ${patch}::jsonb) p
    where t.account = ${account} and t.tableoid = ${version.table}::oid
      and t.ctid = ${version.place}::tid`.execute(tx)
}

/** What one version of a row says of a person. */
export interface PersonFact {
  /** 0 where a present row says it, 1 where a row that is gone does, 2 where an earlier version does. */
  age: number
  /** The stream's identifying columns. */
  columns: Record<string, string | null>
}

/**
 * What versions of a stream's rows say in which an identifying column may be one of the identities, in any
 * spelling: some of them are not, as the caller finds.
 */
export async function personFacts(
  db: Transaction,
  { account, stream }: ErasureScope,
  identities: readonly Identity[],
): Promise<PersonFact[]> {
  const { person } = stream
  const sought = identities.filter(({ kind }) => kind !== 'name')
  if (person === undefined || sought.length === 0) return []
  const columns = [...new Set([...person.known, ...person.called.flat()])]
  const list = sql.join(columns.flatMap((name) => [sql`${name}::text`, sql.id('t', name)]))
  const hit = sql.join(
    person.known.map((name) => mayBe(sql.id('t', name), sought)),
    sql` or `,
  )
  const from = (schema: 'svc' | 'history', age: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select ${age} as age, jsonb_build_object(${list}) as columns
    from ${sql.id(schema, stream.name)} t where t.account = ${account} and (${hit})`
  const present = sql`case when t._deleted_at is null then 0 else 1 end`
  const { rows } = await sql<PersonFact>`
    ${from('svc', present)} union ${from('history', sql`2`)}`.execute(db)
  return rows
}

/** As the column says it, or without what veils it. */
function mayBe(column: RawBuilder<unknown>, sought: readonly Identity[]): RawBuilder<boolean> {
  const unveiled = sql`callsheet.unveiled(${column}::text)`
  return sql<boolean>`(${mayEqual(column, sought)}
    or (callsheet.veiled(${column}::text) and ${mayEqual(unveiled, sought)}))`
}

/** IDs as they are spelled. The database may take no letters but ASCII's for the same in capitals. */
function mayEqual(column: RawBuilder<unknown>, sought: readonly Identity[]): RawBuilder<boolean> {
  const ids = sought.flatMap(({ kind, text }) => (kind === 'id' ? [text] : []))
  const addresses = sought.filter(({ kind }) => kind === 'address')
  const patterns = addresses.flatMap((address) => likePattern(address) ?? [])
  const odd = addresses.filter((address) => likePattern(address) === undefined)
  const tests = [
    ...(ids.length === 0 ? [] : [sql`${column} = any(${ids}::text[])`]),
    ...(patterns.length === 0 ? [] : [sql`lower(${column}) like any(${patterns}::text[])`]),
    ...(odd.length === 0
      ? []
      : [sql`normalize(lower(${column}), NFC) = any(${odd.map(({ text }) => text)}::text[])`]),
  ]
  return sql<boolean>`(${sql.join(tests, sql` or `)})`
}

function placesOf(versions: readonly StoredVersion[]): RawBuilder<unknown> {
  const tables = versions.map(({ table }) => table)
  const places = versions.map(({ place }) => place)
  return sql`(select a::oid as lies_in, b::tid as place
    from unnest(${tables}::text[], ${places}::text[]) as u(a, b)) p`
}
