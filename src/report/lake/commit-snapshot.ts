import { randomInt } from 'node:crypto'
import { CallsheetError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { slug } from '../../core/values/slug.ts'
import { databaseTime } from '../../evidence/sql/manifest.ts'
import { lockText } from '../../warehouse/advisory-lock.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { noneErasedSince } from '../../warehouse/keep-out/erasure-locks.ts'
import type { StagedDay } from './changed-days.ts'
import type { LakeMark } from './lake-mark.ts'
import { lastRecord, type NewRecord, recordSnapshot } from './lake-records.ts'
import { type LakeBase, type LakeTable, metadataText, nameIn, sha256Of } from './lake-table.ts'
import {
  encodeManifest,
  encodeManifestList,
  type ManifestEntry,
  manifestFile,
} from './manifests.ts'
import { type Addition, type LakeSchema, metadataAfter } from './metadata.ts'

/** States recorded snapshots in the evidence log of an account, if it keeps one. */
export interface Stating {
  /** Returns the number of the account's next entry, and lets no other writer take it. */
  next(tx: Transaction, account: string): Promise<number | undefined>
  /** Adds that entry, about a record. */
  enter(tx: Transaction, account: string, id: number): Promise<void>
}

/** The state of an account's table, and how it differs from the lake's current snapshot. */
export interface LakeChange {
  record: NewRecord
  schema: LakeSchema
  dayColumn: string
  whole: boolean
  verdict: string
  /** What the snapshot's summary says about the data. */
  summary: Readonly<Record<string, string>>
  staged: readonly StagedDay[]
  kept: readonly ManifestEntry[]
  gone: readonly ManifestEntry[]
  mark: LakeMark | undefined
  /** Identifies the erasures until the rows were read. */
  erasures: string
}

interface Changing {
  base: LakeBase
  change: LakeChange
  /** The ID of the announced record. */
  recordId: number
}

/**
 * Stores the files of a snapshot, and then records it in one transaction with its log entry. Returns
 * undefined, and removes the files, if a person was erased since the rows were read. Every name has the
 * file's digest, so the metadata's digest in the record covers all files of the snapshot.
 */
export async function commitSnapshot(
  { warehouse, state }: { warehouse: Pick<Warehouse, 'transaction'>; state: Stating },
  table: LakeTable,
  changing: Changing,
) {
  const stored: string[] = []
  const { base, change, recordId } = changing
  const { account, stream, location } = change.record
  const addition = await storeFiles(table, changing, stored).catch(async (error: unknown) => {
    await removeAll(table, stored)
    throw error
  })
  // If the transaction throws, the files stay: it may have been committed.
  const done = await warehouse.transaction(async (tx) => {
    await lockText(tx, location, { space: COMMIT_LOCK })
    if ((await lastRecord(tx, location))?.metadata !== base.record?.metadata) return 'late'
    if (!(await noneErasedSince(tx, account, change.erasures))) return undefined
    const entry = await state.next(tx, account)
    const added = complete(addition, changing, { entry, atMs: Date.parse(await databaseTime(tx)) })
    const metadata = metadataText(metadataAfter(base.metadata, added))
    const version = base.metadata === undefined ? 1 : (base.record?.version ?? 0) + 1
    const facts = { version, metadata: sha256Of(metadata), addition: added, mark: change.mark }
    await recordSnapshot(tx, { id: recordId, account, stream, location, ...facts })
    if (entry !== undefined) await state.enter(tx, account, recordId)
    return { id: added.snapshot['snapshot-id'], version, entry, metadata }
  })
  if (typeof done === 'object') return done
  await removeAll(table, stored)
  if (done === 'late') throw busy(table)
  return undefined
}

/** Stores data files, the account's manifest and the list of manifests. */
async function storeFiles(
  table: LakeTable,
  { base, change }: Changing,
  stored: string[],
): Promise<Addition> {
  const { kept, gone, staged, schema, dayColumn, record } = change
  const { location, lake } = table
  const uuid = base.metadata?.['table-uuid'] ?? crypto.randomUUID()
  const sequence = (base.metadata?.['last-sequence-number'] ?? 0) + 1
  const id = randomInt(1, MOST_ID)
  const numbers = { snapshot_id: id, sequence_number: sequence, file_sequence_number: sequence }
  const entries: ManifestEntry[] = [
    ...kept.map((entry) => ({ ...entry, status: 0 as const })),
    ...gone.map((entry) => ({ ...entry, status: 2 as const, snapshot_id: id })),
  ]
  for (const day of staged) {
    const path = `${location}/data/${dataName(day, record.account, id)}`
    stored.push(path)
    await lake.putFile(nameIn(table, path), day)
    const file = { record_count: day.rows, file_size_in_bytes: day.bytes, file_path: path }
    const partition = { account: record.account, day: day.day }
    entries.push({ status: 1, ...numbers, data_file: { ...file, partition } })
  }
  await point('lake:data')
  const parent = base.metadata?.['current-snapshot-id']
  const snapshot = {
    'snapshot-id': id,
    ...(parent !== undefined && { 'parent-snapshot-id': parent }),
    'sequence-number': sequence,
    'schema-id': schema['schema-id'],
    'timestamp-ms': 0,
    'manifest-list': '',
    summary: {},
  }
  const addition = { uuid, location, dayColumn, schema, snapshot }
  const put = async (name: string, bytes: Buffer): Promise<string> => {
    const path = `${location}/metadata/${name}-${id}-${sha256Of(bytes)}.avro`
    stored.push(path)
    await lake.put(nameIn(table, path), bytes)
    return path
  }
  const manifests = [...base.others]
  if (entries.length > 0) {
    const bytes = await encodeManifest(metadataAfter(base.metadata, addition), entries)
    const path = await put('manifest', bytes)
    const file = { manifest_path: path, manifest_length: bytes.length, sequence_number: sequence }
    manifests.push(manifestFile(file, { snapshot: id, entries }))
  }
  const list = await put('snap', await encodeManifestList(manifests, { snapshot: id, sequence }))
  await point('lake:manifests')
  return { ...addition, snapshot: { ...snapshot, 'manifest-list': list } }
}

function dataName({ day, digest, sha256 }: StagedDay, account: string, snapshot: number): string {
  const utc = day === null ? 'none' : new Date(day * DAY_MS).toISOString().slice(0, 10)
  return `account=${slug(account)}/day=${utc}/${digest}-${snapshot}-${sha256}.parquet`
}

/** Adds the snapshot's time and its summary to the addition. */
function complete(
  addition: Addition,
  { base: { metadata }, change }: Changing,
  { entry, atMs }: { entry: number | undefined; atMs: number },
): Addition {
  const summary = {
    operation: metadata === undefined ? 'append' : 'overwrite',
    ...(entry !== undefined && { 'callsheet.log_entry': String(entry) }),
    ...change.summary,
  }
  const timestamp = Math.max(atMs, (metadata?.['last-updated-ms'] ?? 0) + 1)
  return { ...addition, snapshot: { ...addition.snapshot, 'timestamp-ms': timestamp, summary } }
}

/** Best effort: files that no snapshot names are harmless to readers. */
async function removeAll({ lake }: LakeTable, paths: readonly string[]): Promise<void> {
  for (const path of paths) await lake.remove(nameIn({ lake }, path)).catch(() => undefined)
}

export function busy({ location }: LakeTable): CallsheetError {
  return new CallsheetError('lake_busy', {
    tried: `Exporting to ${location}`,
    came: 'another export is writing this table',
    todo: 'wait until it has ended, then run again; this export published nothing',
  })
}

const COMMIT_LOCK = 2_026_000_049
/** `randomInt` gives numbers below this. */
const MOST_ID = 2 ** 48 - 1
