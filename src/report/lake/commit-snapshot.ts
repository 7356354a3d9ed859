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
import { type LakeBase, type LakeTable, metadataText, nameIn, sha256Of } from './lake-base.ts'
import { lastRecord, type NewRecord, recordSnapshot } from './lake-records.ts'
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
  /** Identifies the erasures until the rows were read. */
  mark: string
}

export interface Committed {
  id: number
  version: number
  entry: number | undefined
  metadata: Buffer
}

interface Changing {
  base: LakeBase
  change: LakeChange
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
): Promise<Committed | undefined> {
  const stored: string[] = []
  const addition = await storeFiles(table, changing, stored).catch(async (error: unknown) => {
    await removeAll(table, stored)
    throw error
  })
  const { base, change } = changing
  const { account } = change.record
  const done = await warehouse.transaction(async (tx) => {
    await lockText(tx, table.location, { space: COMMIT_LOCK })
    const last = await lastRecord(tx, table.location)
    if (last?.id !== base.record?.id) return 'late'
    if (!(await noneErasedSince(tx, account, change.mark))) return undefined
    const entry = await state.next(tx, account)
    const atMs = Date.parse(await databaseTime(tx))
    const added = withSummary(addition, { base, change, entry, atMs })
    const metadata = metadataText(metadataAfter(base.metadata, added))
    const version = base.metadata === undefined ? 1 : (base.record?.version ?? 0) + 1
    const facts = { version, metadata: sha256Of(metadata), addition: added }
    const id = await recordSnapshot(tx, change.record, facts)
    if (entry !== undefined) await state.enter(tx, account, id)
    return { id: addition.snapshot['snapshot-id'], version, entry, metadata }
  })
  if (typeof done === 'object') return done
  await removeAll(table, stored)
  if (done === 'late') throw late(table)
  return undefined
}

/** Stores data files, the account's manifest and the list of manifests. */
async function storeFiles(
  table: LakeTable,
  { base, change }: Changing,
  stored: string[],
): Promise<Addition> {
  const { kept, gone, staged, schema, dayColumn, record } = change
  const uuid = base.metadata?.['table-uuid'] ?? crypto.randomUUID()
  const sequence = (base.metadata?.['last-sequence-number'] ?? 0) + 1
  const snapshot = snapshotId()
  const numbers = { snapshot_id: snapshot, sequence_number: sequence }
  const entries: ManifestEntry[] = [
    ...kept.map((entry) => ({ ...entry, status: 0 as const })),
    ...gone.map((entry) => ({ ...entry, status: 2 as const, snapshot_id: snapshot })),
  ]
  for (const day of staged) {
    const path = `${table.location}/data/${dataName(day, { account: record.account, snapshot })}`
    stored.push(path)
    await table.lake.putFile(nameIn(table, path), day)
    const file = { record_count: day.rows, file_size_in_bytes: day.bytes, file_path: path }
    const partition = { account: record.account, day: day.day }
    const added = { ...numbers, file_sequence_number: sequence, data_file: { ...file, partition } }
    entries.push({ status: 1, ...added })
  }
  await point('lake:data')
  const at = {
    'snapshot-id': snapshot,
    'sequence-number': sequence,
    'schema-id': schema['schema-id'],
  }
  const parent = base.metadata?.['current-snapshot-id']
  const draft = {
    ...at,
    ...(parent === undefined ? {} : { 'parent-snapshot-id': parent }),
    'timestamp-ms': 0,
    'manifest-list': '',
    summary: {},
  }
  const addition = { uuid, location: table.location, dayColumn, schema, snapshot: draft }
  const put = async (name: (sha256: string) => string, bytes: Buffer): Promise<string> => {
    const path = `${table.location}/metadata/${name(sha256Of(bytes))}.avro`
    stored.push(path)
    await table.lake.put(nameIn(table, path), bytes)
    return path
  }
  const manifests = [...base.others]
  if (entries.length > 0) {
    const bytes = await encodeManifest(metadataAfter(base.metadata, addition), entries)
    const path = await put((sha256) => `manifest-${snapshot}-${sha256}`, bytes)
    const file = { manifest_path: path, manifest_length: bytes.length, sequence_number: sequence }
    manifests.push(manifestFile(file, { snapshot, entries }))
  }
  const list = await encodeManifestList(manifests, { snapshot, sequence })
  const path = await put((sha256) => `snap-${snapshot}-${sha256}`, list)
  await point('lake:manifests')
  return { ...addition, snapshot: { ...draft, 'manifest-list': path } }
}

function dataName(
  { day, digest, sha256 }: StagedDay,
  { account, snapshot }: { account: string; snapshot: number },
): string {
  const utc = day === null ? 'none' : new Date(day * DAY_MS).toISOString().slice(0, 10)
  return `account=${slug(account)}/day=${utc}/${digest}-${snapshot}-${sha256}.parquet`
}

function withSummary(
  addition: Addition,
  { base, change, entry, atMs }: Changing & { entry: number | undefined; atMs: number },
): Addition {
  const { staged, gone, kept, summary } = change
  const rowsOf = (entries: readonly ManifestEntry[]) =>
    entries.reduce((sum, one) => sum + one.data_file.record_count, 0)
  const added = staged.reduce((sum, { rows }) => sum + rows, 0)
  const numbers = {
    'added-data-files': staged.length,
    'deleted-data-files': gone.length,
    'added-records': added,
    'deleted-records': rowsOf(gone),
    ...(base.others.length === 0 && {
      'total-data-files': kept.length + staged.length,
      'total-records': rowsOf(kept) + added,
    }),
    ...(entry === undefined ? {} : { 'callsheet.log_entry': entry }),
  }
  const text = Object.entries(numbers).map(([name, value]) => [name, String(value)] as const)
  const operation = base.metadata === undefined ? 'append' : 'overwrite'
  const timestamp = Math.max(atMs, (base.metadata?.['last-updated-ms'] ?? 0) + 1)
  const said = { operation, ...Object.fromEntries(text), ...summary }
  return {
    ...addition,
    snapshot: { ...addition.snapshot, 'timestamp-ms': timestamp, summary: said },
  }
}

/** Best effort: files that no snapshot names are harmless to readers. */
async function removeAll({ lake }: LakeTable, paths: readonly string[]): Promise<void> {
  for (const path of paths) await lake.remove(nameIn({ lake }, path)).catch(() => undefined)
}

function late({ location }: LakeTable): CallsheetError {
  return new CallsheetError('lake_busy', {
    tried: `Exporting to ${location}`,
    came: 'another export published a snapshot meanwhile',
    todo: 'run again; this export published nothing',
  })
}

function snapshotId(): number {
  return randomInt(1, MOST_ID)
}

const COMMIT_LOCK = 2_026_000_049
/** `randomInt` gives numbers below this. */
const MOST_ID = 2 ** 48 - 1
