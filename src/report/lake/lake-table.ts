import { createHash } from 'node:crypto'
import { CallsheetError, ConfigurationError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import { type LakePlace, readWhole } from '../../store/lake-place.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { LakeMark } from './lake-mark.ts'
import { type LakeRecord, lastRecord } from './lake-records.ts'
import {
  decodeManifest,
  decodeManifestList,
  type ManifestEntry,
  type ManifestFile,
} from './manifests.ts'
import { metadataAfter, type TableMetadata } from './metadata.ts'

/** A table of a lake: its folder below the lake, and its whole address. */
export interface LakeTable {
  lake: LakePlace
  folder: string
  location: string
}

/** The current snapshot of a lake table, on which the next one is based. */
export interface LakeBase {
  /** The last record, also of a table that was deleted since. */
  record: LakeRecord | undefined
  /** Undefined for a new table. */
  metadata: TableMetadata | undefined
  /** The account's last snapshot in this table. */
  own: LakeRecord | undefined
  /** The changes that the account's last snapshot contains. */
  mark: LakeMark | undefined
  /** The entries of the account's files. */
  files: readonly ManifestEntry[]
  /** The manifests of the other accounts. */
  others: readonly ManifestFile[]
}

/** The schema of the stream tables is the namespace of the lake's tables. */
export function lakeTable(lake: LakePlace, stream: { name: string }): LakeTable {
  const folder = `svc/${stream.name}`
  return { lake, folder, location: `${lake.address}/${folder}` }
}

/**
 * Reads the current snapshot, and checks that it is the last one that this database recorded. Completes a
 * publication that was interrupted after its record.
 */
export async function readBase(
  { db }: Pick<Warehouse, 'db'>,
  table: LakeTable,
  account: string,
): Promise<LakeBase> {
  const record = await lastRecord(db, table.location)
  const empty = {
    record,
    metadata: undefined,
    own: undefined,
    mark: undefined,
    files: [],
    others: [],
  }
  const hint = await readWhole(table.lake, hintOf(table))
  if (record === undefined) {
    if ((hint ?? (await readWhole(table.lake, metadataName(table, 1)))) !== undefined)
      throw notOurs(table, 'this database has no record of this table')
    return empty
  }
  const { version, addition } = record
  const next = await readWhole(table.lake, metadataName(table, version + 1))
  if (next !== undefined) throw notOurs(table, `version ${version + 1} is not of this database`)
  let text = await readWhole(table.lake, metadataName(table, version))
  if (text === undefined) {
    const list = await table.lake.read(nameIn(table, addition.snapshot['manifest-list']))
    // The whole table was deleted, so a new one begins.
    if (list === undefined && hint === undefined) return empty
    text = await completeText(table, record)
  }
  if (sha256Of(text) !== record.metadata) throw changed(table, metadataName(table, version))
  if (hint?.toString() !== String(version)) await publish(table, version, text)
  const metadata = JSON.parse(text.toString()) as TableMetadata
  const last = await lastRecord(db, table.location, account)
  const own = last?.addition.uuid === addition.uuid ? last : undefined
  const read = await filesOf(addition.snapshot['manifest-list'], account, (path) =>
    readNamed(table, path),
  )
  return { record, metadata, own, mark: own?.mark, ...read }
}

/** Makes a recorded snapshot visible: its metadata, and then the number by which readers find that. */
export async function publish(table: LakeTable, version: number, text: Buffer): Promise<void> {
  await table.lake.put(metadataName(table, version), text)
  await point('lake:metadata')
  await table.lake.put(hintOf(table), Buffer.from(String(version)))
  await point('lake:hint')
}

export function metadataText(metadata: TableMetadata): Buffer {
  return Buffer.from(JSON.stringify(metadata))
}

/** Makes the metadata again that a killed export recorded and did not store. */
async function completeText(table: LakeTable, { version, addition }: LakeRecord): Promise<Buffer> {
  const before = metadataName(table, version - 1)
  const text = version === 1 ? undefined : await readWhole(table.lake, before)
  if (version > 1 && text === undefined) throw changed(table, before)
  const base = text && (JSON.parse(text.toString()) as TableMetadata)
  return metadataText(metadataAfter(base, addition))
}

/** Reads a snapshot's manifest list. Returns the account's file entries, and other accounts' manifests. */
export async function filesOf(
  list: string,
  account: string,
  read: (path: string) => Promise<Buffer>,
): Promise<Pick<LakeBase, 'files' | 'others'>> {
  const files: ManifestEntry[] = []
  const others: ManifestFile[] = []
  for (const manifest of await decodeManifestList(await read(list))) {
    const entries = await decodeManifest(await read(manifest.manifest_path))
    if (entries[0]?.data_file.partition.account !== account) others.push(manifest)
    else files.push(...entries.filter(({ status }) => status !== 2))
  }
  return { files, others }
}

/** Reads a file whose name contains its digest, and compares them. */
async function readNamed(table: LakeTable, path: string): Promise<Buffer> {
  const bytes = await readWhole(table.lake, nameIn(table, path))
  if (bytes === undefined || sha256Of(bytes) !== digestInName(path)) throw changed(table, path)
  return bytes
}

/** The SHA-256 in the name of a manifest, manifest list or data file. */
export function digestInName(path: string): string | undefined {
  return /([0-9a-f]{64})\.(?:avro|parquet)$/.exec(path)?.[1]
}

/** Returns the day of a data file and the digest of its rows, with which the file's name begins. */
export function contentOf({ data_file: { partition, file_path: path } }: ManifestEntry): string {
  return `${partition.day} ${path.slice(path.lastIndexOf('/') + 1).split('-')[0]}`
}

/** The name of a file in the lake by its whole address. */
export function nameIn({ lake }: Pick<LakeTable, 'lake'>, path: string): string {
  return path.startsWith(`${lake.address}/`) ? path.slice(lake.address.length + 1) : ''
}

export const metadataName = ({ folder }: Pick<LakeTable, 'folder'>, version: number) =>
  `${folder}/metadata/v${version}.metadata.json`
export const hintOf = ({ folder }: Pick<LakeTable, 'folder'>) =>
  `${folder}/metadata/version-hint.text`

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function notOurs({ lake, location }: LakeTable, came: string): ConfigurationError {
  return new ConfigurationError('lake_foreign', {
    tried: `Exporting to ${location}`,
    expected: `a new table, or one that this database wrote in the lake at ${lake.address}`,
    came,
    todo: 'choose another place with --lake; nothing was written',
  })
}

function changed({ location }: LakeTable, what: string): CallsheetError {
  return new CallsheetError('lake_changed', {
    tried: `Reading the current snapshot of ${location}`,
    came: `${what} is missing, or differs from what this database recorded`,
    todo:
      'run callsheet verify with the same --lake to see what differs; to begin a new table, move the ' +
      'folder of this one elsewhere, then run again',
  })
}
