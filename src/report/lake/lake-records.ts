import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { noneErasedSince } from '../../warehouse/keep-out/erasure-locks.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { LakeMark } from './lake-mark.ts'
import type { Addition } from './metadata.ts'

/** The name under which snapshots of lakes are recorded in `callsheet.published_reports`. */
export const LAKE_EXPORT = 'lake-export'

/** A snapshot of a lake table as recorded, and stated in the evidence log, before readers can see it. */
export interface LakeRecord {
  id: number
  account: string
  stream: string
  location: string
  version: number
  /** The SHA-256 of the metadata file. */
  metadata: string
  addition: Addition
  /** The changes that the snapshot contains; undefined if the next export must compare all days. */
  mark: LakeMark | undefined
}

export interface NewRecord extends Pick<LakeRecord, 'account' | 'stream' | 'location'> {
  asOfMs: number
  runIds: readonly number[]
}

/**
 * Records that a lake table is about to receive rows of the account, so that an erasure finds the table even
 * after a killed export. Returns the record's ID; undefined if a person was erased since the rows were read.
 */
export async function announceLake(
  tx: Transaction,
  { account, stream, location, asOfMs, runIds }: NewRecord,
  erasures: string,
): Promise<number | undefined> {
  if (!(await noneErasedSince(tx, account, erasures))) return undefined
  const { id } = await tx
    .insertInto('callsheet.published_reports')
    .values({
      account,
      report: LAKE_EXPORT,
      params: JSON.stringify({ stream, location }),
      as_of: new Date(asOfMs).toISOString(),
      run_ids: [...runIds],
      published_at: now,
      files: JSON.stringify([{ path: location, bytes: 0, sha256: '' }]),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Completes an announced record with its snapshot. */
export async function recordSnapshot(
  tx: Transaction,
  { id, account, stream, location, addition, ...facts }: LakeRecord,
): Promise<void> {
  // The addition is stored as text, because the metadata file must be recreated from it byte for byte.
  const params = { stream, location, ...facts, addition: JSON.stringify(addition) }
  await tx
    .updateTable('callsheet.published_reports')
    .set({ params: JSON.stringify(params), published_at: now })
    .where('account', '=', account)
    .where('id', '=', id)
    .execute()
}

/** Returns the snapshots of all lake tables whose location begins with `start`, oldest first. */
export async function lakeRecords(tx: Transaction, start: string): Promise<LakeRecord[]> {
  const isBelow = sql<boolean>`starts_with(params ->> 'location', ${start})`
  const rows = await snapshots(tx).where(isBelow).orderBy('published_at').orderBy('id').execute()
  return rows.map(recordOf)
}

/** Returns the newest snapshot of a lake table: of `account` if given, otherwise of any account. */
export async function lastRecord(
  tx: Transaction,
  location: string,
  account?: string,
): Promise<LakeRecord | undefined> {
  let query = snapshots(tx).where(sql<boolean>`params ->> 'location' = ${location}`)
  if (account !== undefined) query = query.where('account', '=', account)
  query = query.orderBy('published_at', 'desc').orderBy('id', 'desc')
  const row = await query.limit(1).executeTakeFirst()
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
  const { addition, ...facts } = params as Omit<LakeRecord, 'addition'> & { addition: string }
  return { ...facts, ...row, addition: JSON.parse(addition) as Addition }
}
