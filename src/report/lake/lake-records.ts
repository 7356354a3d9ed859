import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { noneErasedSince } from '../../warehouse/keep-out/erasure-locks.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { Addition } from './metadata.ts'

/** The name under which snapshots of lakes are recorded in `callsheet.published_reports`. */
export const LAKE_EXPORT = 'lake-export'

/** A snapshot of a lake table as recorded, and stated in the evidence log, before readers can see it. */
export interface LakeRecord {
  id: number
  account: string
  location: string
  version: number
  /** The SHA-256 of the metadata file. */
  metadata: string
  addition: Addition
}

export interface NewRecord {
  account: string
  stream: string
  location: string
  asOfMs: number
  runIds: readonly number[]
}

/**
 * Records that a lake table is about to receive rows of the account, so that an erasure names it even if the
 * export is killed. Returns false if a person was erased since the rows were read.
 */
export async function announceLake(
  tx: Transaction,
  record: NewRecord,
  mark: string,
): Promise<boolean> {
  if (!(await noneErasedSince(tx, record.account, mark))) return false
  const { location } = record
  await insert(tx, record, { params: {}, files: [{ path: location, bytes: 0, sha256: '' }] })
  return true
}

/** Records a snapshot, and returns the record's number. */
export async function recordSnapshot(
  tx: Transaction,
  record: NewRecord,
  { version, metadata, addition }: Pick<LakeRecord, 'version' | 'metadata' | 'addition'>,
): Promise<number> {
  // The addition is kept as text, because the metadata file is made from it again, byte for byte.
  const params = { version, metadata, addition: JSON.stringify(addition) }
  return await insert(tx, record, { params, files: [] })
}

async function insert(
  tx: Transaction,
  { account, stream, location, asOfMs, runIds }: NewRecord,
  { params, files }: { params: object; files: readonly object[] },
): Promise<number> {
  const { id } = await tx
    .insertInto('callsheet.published_reports')
    .values({
      account,
      report: LAKE_EXPORT,
      params: JSON.stringify({ stream, location, ...params }),
      as_of: new Date(asOfMs).toISOString(),
      run_ids: [...runIds],
      published_at: now,
      files: JSON.stringify(files),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Returns the recorded snapshots whose location begins with a text, oldest first. */
export async function lakeRecords(tx: Transaction, start: string): Promise<LakeRecord[]> {
  const isBelow = sql<boolean>`starts_with(params ->> 'location', ${start})`
  return (await snapshots(tx).where(isBelow).orderBy('id').execute()).map(recordOf)
}

/** Returns the newest recorded snapshot of a lake table, of any account. */
export async function lastRecord(
  tx: Transaction,
  location: string,
): Promise<LakeRecord | undefined> {
  const isThis = sql<boolean>`params ->> 'location' = ${location}`
  const row = await snapshots(tx).where(isThis).orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row && recordOf(row)
}

function snapshots(tx: Transaction) {
  return tx
    .selectFrom('callsheet.published_reports')
    .select(['id', 'account', 'params'])
    .where('report', '=', LAKE_EXPORT)
    .where(sql<boolean>`params ? 'version'`)
}

function recordOf({
  params,
  ...row
}: {
  id: number
  account: string
  params: unknown
}): LakeRecord {
  const { location, version, metadata, addition } = params as Params
  return { ...row, location, version, metadata, addition: JSON.parse(addition) as Addition }
}

type Params = Pick<LakeRecord, 'location' | 'version' | 'metadata'> & { addition: string }
