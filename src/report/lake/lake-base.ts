import { createHash } from 'node:crypto'
import { CallsheetError, ConfigurationError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import { type LakePlace, readWhole } from '../../store/lake-place.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
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
  /** The entries of the account's files. */
  own: readonly ManifestEntry[]
  /** The manifests of the other accounts. */
  others: readonly ManifestFile[]
}

/** The schema of the stream tables is the namespace of the lake's tables. */
export const NAMESPACE = 'svc'

export function lakeTable(lake: LakePlace, stream: { name: string }): LakeTable {
  const folder = `${NAMESPACE}/${stream.name}`
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
  const hint = await readWhole(table.lake, hintOf(table))
  if (record === undefined) {
    if (hint !== undefined) throw notOurs(table, 'this database has no record of this table')
    const other = (await table.lake.names()).find(
      (one) => one !== NAMESPACE && !one.startsWith('.'),
    )
    if (other !== undefined)
      throw notOurs(table, `it contains ${other}, and no lake table of Callsheet`)
    return NEW_TABLE
  }
  const { version, addition } = record
  const next = await readWhole(table.lake, metadataName(table, version + 1))
  if (next !== undefined) throw notOurs(table, `version ${version + 1} is not of this database`)
  let text = await readWhole(table.lake, metadataName(table, version))
  if (text === undefined) {
    const list = await table.lake.read(nameIn(table, addition.snapshot['manifest-list']))
    // The whole table was deleted, so a new one begins.
    if (list === undefined && hint === undefined) return { ...NEW_TABLE, record }
    text = await completeText(table, record)
  }
  if (sha256Of(text) !== record.metadata) throw changed(table, metadataName(table, version))
  if (hint?.toString() !== String(version)) await publish(table, record, text)
  const metadata = JSON.parse(text.toString()) as TableMetadata
  return { record, metadata, ...(await readFiles(table, metadata, account)) }
}

/** Makes a recorded snapshot visible: its metadata, and then the number by which readers find that. */
export async function publish(
  table: LakeTable,
  { version }: Pick<LakeRecord, 'version'>,
  metadata: Uint8Array,
): Promise<void> {
  await table.lake.put(metadataName(table, version), metadata)
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

async function readFiles(
  table: LakeTable,
  { snapshots, 'current-snapshot-id': current }: TableMetadata,
  account: string,
): Promise<Pick<LakeBase, 'own' | 'others'>> {
  const own: ManifestEntry[] = []
  const others: ManifestFile[] = []
  const list = snapshots.find((one) => one['snapshot-id'] === current)?.['manifest-list'] ?? ''
  for (const manifest of await decodeManifestList(await readNamed(table, list))) {
    const entries = await decodeManifest(await readNamed(table, manifest.manifest_path))
    if (entries[0]?.data_file.partition.account !== account) others.push(manifest)
    else own.push(...entries.filter(({ status }) => status !== 2))
  }
  return { own, others }
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
    expected: `an empty or new place, or the lake that this database wrote at ${lake.address}`,
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

const NEW_TABLE: LakeBase = { record: undefined, metadata: undefined, own: [], others: [] }
