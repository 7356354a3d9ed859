import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { noneErasedSince } from '../../warehouse/keep-out/erasure-locks.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { LakeMark } from './lake-mark.ts'

/** The name under which snapshots of lakes are recorded in `callsheet.published_reports`. */
export const LAKE_EXPORT = 'lake-export'

/** A snapshot of a lake table as recorded, and stated in the evidence log, before readers can see it. */
export interface LakeRecord {
  id: number
  account: string
  stream: string
  location: string
  /** The table's UUID. A table that was deleted and exported again has another one. */
  table: string
  version: number
  /** The SHA-256 of the metadata file. */
  metadata: string
  /** The path of the list of manifests, which has the list's SHA-256. */
  list: string
  whole: boolean
  /** A digest of the columns. If a release changes the columns, the next export compares all days. */
  columns: string
  /** The changes that the snapshot contains; undefined if the next export must compare all days. */
  mark: LakeMark | undefined
}

interface Announced {
  record: Pick<LakeRecord, 'account' | 'stream' | 'location'>
  asOfMs: number
  runIds: readonly number[]
  erasures: string
}

/**
 * Records that a lake table is about to receive rows of the account, so that an erasure finds the table even
 * after a killed export. Returns the record's ID and time; undefined if a person was erased since the rows
 * were read.
 */
export async function announceLake(
  tx: Transaction,
  { record: { account, stream, location }, asOfMs, runIds, erasures }: Announced,
): Promise<{ id: number; at: string } | undefined> {
  if (!(await noneErasedSince(tx, account, erasures))) return undefined
  return await tx
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
    .returning(['id', 'published_at as at'])
    .executeTakeFirstOrThrow()
}

/** Completes an announced record with its snapshot. */
export async function recordSnapshot(
  tx: Transaction,
  { id, account, ...params }: LakeRecord,
): Promise<void> {
  await tx
    .updateTable('callsheet.published_reports')
    .set({ params: JSON.stringify(params) })
    .where('account', '=', account)
    .where('id', '=', id)
    .execute()
}

/** Returns the snapshots of a lake table, or of all tables of a lake, oldest first. */
export async function lakeRecords(db: Transaction, place: string): Promise<LakeRecord[]> {
  const rows = await db
    .selectFrom('callsheet.published_reports')
    .select(['id', 'account', 'params'])
    .where('report', '=', LAKE_EXPORT)
    .where(sql<boolean>`params ? 'version'`)
    .where(sql<boolean>`starts_with(concat(params ->> 'location', '/'), ${`${place}/`})`)
    .orderBy('id')
    .execute()
  return rows.map(({ params, ...row }) => ({ ...(params as Omit<LakeRecord, 'id'>), ...row }))
}
