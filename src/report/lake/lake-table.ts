import { createHash } from 'node:crypto'
import { CallsheetError, ConfigurationError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import { type LakePlace, readWhole } from '../../store/lake-place.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { type LakeRecord, lakeRecords } from './lake-records.ts'
import { decodeAvro, type ManifestEntry } from './manifests.ts'
import type { TableMetadata } from './metadata.ts'

/** A table of a lake, with its address. */
export interface LakeTable {
  lake: LakePlace
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
  /** The entries of all accounts' files. */
  files: readonly ManifestEntry[]
}

/** The schema of the stream tables is the namespace of the lake's tables. */
export function lakeTable(lake: LakePlace, stream: { name: string }): LakeTable {
  return { lake, location: `${lake.address}/svc/${stream.name}` }
}

/**
 * Reads the current snapshot, and checks that it is the last one that this database recorded. Completes a
 * publication that was interrupted after its record.
 */
export async function readBase(
  db: Transaction,
  table: LakeTable,
  account: string,
): Promise<LakeBase> {
  const { lake, location } = table
  const records = await lakeRecords(db, location)
  const record = records.at(-1)
  const nothing = { record, metadata: undefined, own: undefined, files: [] }
  const version = record?.version ?? 0
  const hint = await readWhole(lake, hintOf(location))
  const next = await readWhole(lake, metadataPath(location, version + 1))
  if (next !== undefined) throw notOurs(table, `version ${version + 1} is not of this database`)
  if (record === undefined) {
    if (hint === undefined) return nothing
    throw notOurs(table, 'this database has no record of this table')
  }
  const path = metadataPath(location, version)
  // Reads the waiting file first, because another process may publish and then remove it meanwhile.
  const waiting = await readWhole(lake, waitingPath(record))
  const published = await readWhole(lake, path)
  const text = published ?? waiting
  // The whole table was deleted, so a new one begins.
  if (text === undefined && hint === undefined) return nothing
  if (text === undefined || sha256Of(text) !== record.metadata) throw changed(table, path)
  if (published === undefined || hint?.toString() !== String(version))
    await publish(table, record, text)
  const own = records.findLast((one) => one.account === account && one.table === record.table)
  const files = await filesOf(record.list, async (name) => {
    const bytes = await readWhole(lake, name)
    if (bytes === undefined || sha256Of(bytes) !== digestInName(name)) throw changed(table, name)
    return bytes
  })
  const metadata = JSON.parse(text.toString()) as TableMetadata
  return { record, metadata, own, files: files ?? [] }
}

/** Makes a recorded snapshot visible: stores its metadata, then the version by which readers find it. */
export async function publish(
  { lake, location }: LakeTable,
  record: Pick<LakeRecord, 'location' | 'version' | 'metadata'>,
  text: Buffer,
): Promise<void> {
  await lake.put(metadataPath(location, record.version), text)
  await point('lake:metadata')
  await lake.put(hintOf(location), Buffer.from(String(record.version)))
  await point('lake:hint')
  await lake.remove(waitingPath(record))
}

/**
 * Reads the entries of a snapshot's files. Returns undefined if `read` returns no content for the list of
 * manifests or the manifest.
 */
export async function filesOf(
  list: string,
  read: (path: string) => Promise<Buffer | undefined>,
): Promise<ManifestEntry[] | undefined> {
  const bytes = await read(list)
  if (bytes === undefined) return undefined
  const files: ManifestEntry[] = []
  for (const { manifest_path: path } of await decodeAvro<{ manifest_path: string }>(bytes)) {
    const manifest = await read(path)
    if (manifest === undefined) return undefined
    files.push(...(await decodeAvro<ManifestEntry>(manifest)).filter(({ status }) => status !== 2))
  }
  return files
}

/** The SHA-256 in the name of a manifest, manifest list or data file. */
export function digestInName(path: string): string | undefined {
  return /([0-9a-f]{64})\.(?:avro|parquet)$/.exec(path)?.[1]
}

export const metadataPath = (location: string, version: number) =>
  `${location}/metadata/v${version}.metadata.json`
export const hintOf = (location: string) => `${location}/metadata/version-hint.text`

/** The metadata of a snapshot until it is recorded and published, under a name that no reader looks for. */
export const waitingPath = ({ location, metadata }: Pick<LakeRecord, 'location' | 'metadata'>) =>
  `${location}/metadata/${metadata}.json`

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
