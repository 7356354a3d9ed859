import { sql } from 'kysely'
import { FingerprintTable } from '../core/fingerprint-table.ts'
import type { Owned } from '../core/load.ts'
import { keyHash } from '../core/record-key.ts'
import type { Stream } from '../core/stream.ts'
import type { Warehouse } from './connect.ts'
import { ownedBy } from './owned-sql.ts'
import { columnList, current } from './table-sql.ts'

/** What the warehouse holds of the rows that a group owns, as hashes: one range read, nothing kept per row but 44 bytes. */
export async function loadFingerprints(
  warehouse: Warehouse,
  scope: Scope,
): Promise<FingerprintTable> {
  const table = new FingerprintTable()
  for await (const { key, hash } of eachOwned(warehouse, scope)) table.add(keyHash(key), hash)
  return table
}

/**
 * The keys that the group owns and that no page has shown, without the rows past the instant in `expiresAt`, which
 * expired. Read only when something is missing.
 */
export async function missingKeys(
  warehouse: Warehouse,
  scope: Scope,
  table: FingerprintTable,
): Promise<string[][]> {
  const missing: string[][] = []
  for await (const { key } of eachOwned(warehouse, scope))
    if (table.missing(keyHash(key))) missing.push(key)
  return missing
}

interface Scope {
  account: string
  stream: Stream
  owned: Owned
  expiresAt?: string
}

/** Keyset pages over the primary key, so that neither side holds a whole table. */
async function* eachOwned(
  warehouse: Warehouse,
  { account, stream, owned, expiresAt }: Scope,
): AsyncGenerator<{ key: string[]; hash: Buffer }> {
  const keyColumns = columnList(stream.key, 't')
  const alive =
    expiresAt === undefined
      ? sql`true`
      : sql`coalesce(${sql.id('t', expiresAt)} > callsheet.clock(), true)`
  let after: string[] | undefined
  for (;;) {
    const beyond =
      after === undefined
        ? sql`true`
        : sql`(${keyColumns}) > (${sql.join(after.map((part) => sql`${part}`))})`
    const { rows } = await sql<{ key: string[]; hash: Buffer }>`
      select array[${sql.join(stream.key.map((name) => sql`${sql.id('t', name)}::text`))}] as key, t._hash as hash
      from ${current(stream)} t
      where t.account = ${account} and t._deleted_at is null and ${ownedBy(owned, 't')} and ${alive} and ${beyond}
      order by ${keyColumns} limit ${CHUNK_ROWS}`.execute(warehouse.db)
    yield* rows
    if (rows.length < CHUNK_ROWS) return
    after = rows.at(-1)?.key
  }
}

const CHUNK_ROWS = 20_000
