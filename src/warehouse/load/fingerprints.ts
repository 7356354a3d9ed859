import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import { point } from '../../core/kill-point.ts'
import { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { joinKey, KEY_SEPARATOR, keyHash } from '../../core/records/record-key.ts'
import type { Owned } from '../../core/records/row-batch.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'
import { keyTexts, presentRows, unexpired } from '../connection/table-sql.ts'
import { copyFingerprints, PAIR_BYTES, type TakePair } from './copy-fingerprints.ts'
import { ownedBy } from './owned-sql.ts'

interface Scope {
  account: string
  stream: Stream
  owned: Owned
  /** Rows past the instant in this column expired: they are not missing. */
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
  const take: TakePair = (bytes, at) => {
    if (!mayKnow || !table.has(bytes, at)) table.add(bytes, at)
  }
  if (scope.owned.kind === 'parents') await packedFingerprints(warehouse, scope, take)
  else await copyFingerprints(warehouse, fingerprintsOf(warehouse, scope), take)
  await point('fingerprints:after')
  return table
}

/** 16 bytes of its key's hash and 16 of its content's for each row. */
function fingerprintsOf(warehouse: Warehouse, scope: Scope) {
  // A hash of another length is none of ours, so what has it differs from whatever the service shows.
  const content = sql`case octet_length(t._hash) when 16 then t._hash
    else substr(sha256(t._hash), 1, 16) end`
  const key = sql`substr(sha256(convert_to(${joinedKey(scope.stream)}, 'UTF8')), 1, 16)`
  return ownedRows(warehouse.db, scope).select(sql<Buffer>`${key} || ${content}`.as('fingerprint'))
}

/**
 * Packed by the database into one value, in one statement: few parents have few rows, and there are many
 * such groups. What is more than one value should hold comes as a copy.
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
 * The keys that the group owns and that no page has shown, in their order. Read only when one is missing,
 * as a rule by the contents of just these rows. Where a row is not found by the content that the table has of
 * it, as when another spelling of the same was shown before, all keys are looked through.
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
  /** Past the instant at which it expires it is not missing. */
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
  const found: Unshown[] = []
  await warehouse.transaction(
    async (tx) => {
      const rows = ownedRows(tx, scope)
        .select([keyTexts(stream, 't').as('key'), unexpired('t', expiresAt).as('alive')])
        .where(named)
      for await (const row of cursorRows(tx, 'owned_keys', rows))
        if (table.missing(keyHash(row.key))) found.push(row)
    },
    { snapshot: true },
  )
  return found
}

function ownedRows(db: Transaction, { owned, ...of }: Scope) {
  return db.selectFrom(presentRows(of).as('t')).where(ownedBy(owned, 't'))
}

/** The text that `core/records/record-key.ts` hashes for the same key. */
function joinedKey(stream: Stream): RawBuilder<unknown> {
  const parts = stream.key.map((name) => sql`${sql.id('t', name)}::text`)
  return sql.join(parts, sql` || ${KEY_SEPARATOR}::text || `)
}

const MOST_PACKED = 50_000
/** More are found sooner by looking through all. */
const MOST_NAMED = 20_000
