import { type Compilable, type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { point } from '../../core/kill-point.ts'
import { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { joinKey, KEY_SEPARATOR, keyHash } from '../../core/records/record-key.ts'
import type { Owned } from '../../core/records/row-batch.ts'
import type { Transaction, Warehouse } from '../connect.ts'
import { CopyOut } from '../copy-out.ts'
import { cursorRows } from '../cursor.ts'
import { keyTexts, presentRows, unexpired } from '../schema/table-sql.ts'
import { ownedBy } from './owned-sql.ts'

interface Scope {
  account: string
  stream: Stream
  owned: Owned
  /** A column with the instant at which a row expires; expired rows are not missing. */
  expiresAt?: string
}

/**
 * Loads the fingerprints of a group's rows: 32 bytes of key and content hash per row. No object is created
 * per row.
 */
export async function loadFingerprints(
  warehouse: Warehouse,
  scope: Scope,
  table: FingerprintTable = new FingerprintTable(),
): Promise<FingerprintTable> {
  await point('fingerprints:before')
  // Rows need a lookup only if the table already has some.
  const mayKnow = table.size > 0
  const take: TakePair = (bytes, at) => {
    if (!mayKnow || !table.has(bytes, at)) table.add(bytes, at)
  }
  if (scope.owned.kind === 'parents') await packedFingerprints(warehouse, scope, take)
  else await copyFingerprints(warehouse, fingerprintsOf(warehouse, scope), take)
  await point('fingerprints:after')
  return table
}

/** Selects fingerprints: for each row 16 bytes of its key's hash and 16 of its content's. */
export function fingerprintsOf({ db }: Pick<Warehouse, 'db'>, scope: Scope) {
  // A hash of another length is not ours, so it is hashed again and differs from every record.
  const content = sql`case octet_length(t._hash) when 16 then t._hash
    else substr(sha256(t._hash), 1, 16) end`
  const key = sql`substr(sha256(convert_to(${joinedKey(scope.stream)}, 'UTF8')), 1, 16)`
  return ownedRows(db, scope).select(sql<Buffer>`${key} || ${content}`.as('fingerprint'))
}

/**
 * Reads the fingerprints as one value: there are many groups of few parents, each with few rows. If there are
 * too many rows for one value, they are copied.
 */
async function packedFingerprints(
  warehouse: Warehouse,
  scope: Scope,
  take: TakePair,
): Promise<void> {
  const fingerprints = fingerprintsOf(warehouse, scope)
  const packing = sql<Buffer | null>`
    case when count(*) <= ${MOST_PACKED} then string_agg(fingerprint, '') end`
  const { count, packed } = await warehouse.db
    .with((cte) => cte('few').materialized(), fingerprints.limit(MOST_PACKED + 1))
    .selectFrom('few')
    .select(({ fn }) => [fn.countAll<number>().as('count'), packing.as('packed')])
    .executeTakeFirstOrThrow()
  if (count > MOST_PACKED) return await copyFingerprints(warehouse, fingerprints, take)
  const bytes = packed ?? Buffer.of()
  for (let at = 0; at < bytes.length; at += PAIR_BYTES) take(bytes, at)
}

/**
 * Returns the sorted keys of unexpired rows that the group owns and no page has shown. First it searches only
 * the rows whose content hash no page has shown. If some row's hash is not found, for example because another
 * spelling was shown before, it searches all keys.
 */
export async function missingKeys(
  warehouse: Warehouse,
  scope: Scope,
  table: FingerprintTable,
): Promise<string[][]> {
  const contents = table.missingContents(MOST_NAMED)
  const named = contents && (await unshown(warehouse, { ...scope, contents }, table))
  const all = named?.length === contents?.length ? named : undefined
  const rows = all ?? (await unshown(warehouse, scope, table))
  const alive = rows.filter((row) => row.alive).map(({ key }) => key)
  return alive.toSorted((a, b) => (joinKey(a) < joinKey(b) ? -1 : 1))
}

interface Unshown {
  key: string[]
  /** False if the row has expired, so that it is not missing. */
  alive: boolean
}

async function unshown(
  warehouse: Warehouse,
  { contents, ...scope }: Scope & { contents?: readonly Buffer[] },
  table: FingerprintTable,
): Promise<Unshown[]> {
  const { stream, expiresAt } = scope
  const named =
    contents === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(t._hash = any(${contents}::bytea[]) or octet_length(t._hash) <> 16)`
  return await warehouse.transaction(
    async (tx) => {
      const found: Unshown[] = []
      const rows = ownedRows(tx, scope)
        .select([keyTexts(stream, 't').as('key'), unexpired('t', expiresAt).as('alive')])
        .where(named)
      for await (const row of cursorRows(tx, 'owned_keys', rows))
        if (table.missing(keyHash(row.key))) found.push(row)
      return found
    },
    { snapshot: true },
  )
}

function ownedRows(db: Transaction, { owned, ...of }: Scope) {
  return db.selectFrom(presentRows(of).as('t')).where(ownedBy(owned, 't'))
}

/** The key as text, as `core/records/record-key.ts` hashes it. */
function joinedKey(stream: Stream): RawBuilder<unknown> {
  const parts = stream.key.map((name) => sql`${sql.id('t', name)}::text`)
  return sql.join(parts, sql` || ${KEY_SEPARATOR}::text || `)
}

/** Gets 16 bytes of a key's hash and 16 of a content's, at `at`; they are valid only during the call. */
type TakePair = (bytes: Uint8Array, at: number) => void

/**
 * Reads the fingerprints that a query returns as one column of 32 bytes, in any order. One pass is used,
 * because reading in chunks by key would sort all rows once per chunk.
 */
async function copyFingerprints(
  warehouse: Warehouse,
  query: Compilable<{ fingerprint: Buffer }>,
  take: TakePair,
): Promise<void> {
  await warehouse.transaction(
    async (tx, client) => {
      const rows = await withSettings(tx, query.compile())
      const copy = new CopyOut(`copy (${rows}) to stdout (format binary)`, PAIR_BYTES, take)
      await client.query(copy).ended
    },
    { snapshot: true, once: true },
  )
}

/**
 * Returns the query's text for COPY, which accepts no parameters. Their values, all texts, become settings of
 * the transaction, which the planner treats like parameters.
 */
async function withSettings(
  tx: Transaction,
  { sql: text, parameters }: CompiledQuery,
): Promise<string> {
  await tx
    .selectNoFrom(({ fn, lit, val }) =>
      parameters.map((value, at) => {
        const name = nameOf(at + 1)
        return fn('set_config', [val(name), val(value), lit(true)]).as(name)
      }),
    )
    .execute()
  // In our queries a dollar sign before a digit is always a parameter.
  return text.replaceAll(/\$(\d+)/g, (_, at: string) => `current_setting('${nameOf(at)}')`)
}

const nameOf = (at: number | string): string => `callsheet.p${at}`

const MOST_PACKED = 50_000
/** For more rows, searching all keys is faster. */
const MOST_NAMED = 20_000

const PAIR_BYTES = 32
