import { type RawBuilder, sql } from 'kysely'
import { FingerprintTable } from '../core/fingerprint-table.ts'
import type { Owned } from '../core/load.ts'
import { point } from '../core/point.ts'
import { KEY_SEPARATOR, keyHash } from '../core/record-key.ts'
import type { Stream } from '../core/stream.ts'
import type { Warehouse } from './connect.ts'
import { ownedBy } from './owned-sql.ts'
import { copyFingerprints } from './copy-fingerprints.ts'
import { columnList, current } from './table-sql.ts'

interface Scope {
  account: string
  stream: Stream
  owned: Owned
  /** Rows past the instant in this column expired: they are left out. */
  expiresAt?: string
}

/**
 * What the warehouse holds of the rows that a group owns, as hashes of key and content: 32 bytes a row, so
 * that neither side makes an object of any row.
 */
export async function loadFingerprints(
  warehouse: Warehouse,
  scope: Scope,
  table: FingerprintTable = new FingerprintTable(),
): Promise<FingerprintTable> {
  await point('fingerprints:before')
  // Only a table that held rows before can know one of them already.
  const mayKnow = table.size > 0
  const take = (key: Buffer, hash: Buffer): void => {
    if (!mayKnow || !table.has(key)) table.add(key, hash)
  }
  const { owned, expiresAt } = scope
  if (owned.kind === 'all' && expiresAt === undefined && !mayKnow)
    await copyFingerprints(warehouse, scope, take)
  else await packedFingerprints(warehouse, scope, take)
  await point('fingerprints:after')
  return table
}

/** Packed by the database into one value per chunk, along the key: for what an index finds. */
async function packedFingerprints(
  warehouse: Warehouse,
  scope: Scope,
  take: (key: Buffer, hash: Buffer) => void,
): Promise<void> {
  const { stream } = scope
  let after: string[] | undefined
  for (;;) {
    const { rows } = await sql<{ packed: Buffer | null; count: number; last: string[] | null }>`
      with chunk as materialized (
        select ${columnList(stream.key, 't')}, t._hash from ${current(stream)} t
        where ${isOwned(scope)} and ${beyond(stream, after)}
        order by ${columnList(stream.key, 't')} limit ${CHUNK_ROWS})
      select string_agg(substr(sha256(convert_to(${joinedKey(stream)}, 'UTF8')), 1, 16) || _hash,
        '') as packed,
        count(*) as count,
        (select array[${keyTexts(stream)}] from chunk order by ${descending(stream)} limit 1) as last
      from chunk`.execute(warehouse.db)
    const { packed = null, count = 0, last = null } = rows[0] ?? {}
    const bytes = packed ?? Buffer.of()
    for (let at = 0; at < bytes.length; at += 32)
      take(bytes.subarray(at, at + 16), bytes.subarray(at + 16, at + 32))
    if (count < CHUNK_ROWS || last === null) return
    after = last
  }
}

/** The keys that the group owns and that no page has shown. Read only when something is missing. */
export async function missingKeys(
  warehouse: Warehouse,
  scope: Scope,
  table: FingerprintTable,
): Promise<string[][]> {
  const { stream } = scope
  const missing: string[][] = []
  let after: string[] | undefined
  for (;;) {
    const { rows } = await sql<{ key: string[] }>`
      select array[${keyTexts(stream)}] as key from ${current(stream)} t
      where ${isOwned(scope)} and ${beyond(stream, after)}
      order by ${columnList(stream.key, 't')} limit ${CHUNK_ROWS}`.execute(warehouse.db)
    for (const { key } of rows) if (table.missing(keyHash(key))) missing.push(key)
    if (rows.length < CHUNK_ROWS) return missing
    after = rows.at(-1)?.key
  }
}

function isOwned({ account, owned, expiresAt }: Scope): RawBuilder<unknown> {
  const alive =
    expiresAt === undefined
      ? sql`true`
      : sql`coalesce(${sql.id('t', expiresAt)} > callsheet.clock(), true)`
  return sql`t.account = ${account} and t._deleted_at is null and ${ownedBy(owned, 't')} and ${alive}`
}

/** Keyset pages over the primary key, so that neither side holds a whole table. */
function beyond(stream: Stream, after: readonly string[] | undefined): RawBuilder<unknown> {
  if (after === undefined) return sql`true`
  return sql`(${columnList(stream.key, 't')}) > (${sql.join(after.map((part) => sql`${part}`))})`
}

/** The text that `core/record-key.ts` hashes for the same key. */
function joinedKey(stream: Stream): RawBuilder<unknown> {
  const parts = stream.key.map((name) => sql`${sql.id(name)}::text`)
  return sql.join(parts, sql` || ${KEY_SEPARATOR}::text || `)
}

function keyTexts(stream: Stream): RawBuilder<unknown> {
  return sql.join(stream.key.map((name) => sql`${sql.id(name)}::text`))
}

function descending(stream: Stream): RawBuilder<unknown> {
  return sql.join(stream.key.map((name) => sql`${sql.id(name)} desc`))
}

const CHUNK_ROWS = 50_000
