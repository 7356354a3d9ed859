import type { LakeFile } from '../../store/lake-place.ts'
import type { LakeRecord } from './lake-records.ts'
import { type LakeBase, sha256Of, waitingPath } from './lake-table.ts'
import { encodeManifest, encodeManifestList } from './manifests.ts'
import { metadataAfter, partitionBy } from './metadata.ts'
import type { LakeChange } from './read-change.ts'

interface BuiltSnapshot {
  record: Omit<LakeRecord, 'id'>
  metadata: Buffer
  /** The files to store before the snapshot is recorded, by their paths. */
  files: ReadonlyMap<string, LakeFile>
}

/**
 * Makes the files of a snapshot. Each file names the next ones with their digests, so the metadata's digest
 * covers all of them. `entry` names the snapshot's entry in the evidence log.
 */
export async function buildSnapshot(
  { metadata: before, record: last }: LakeBase,
  { snapshot: id, sequence, entries, schema, dayColumn, ...change }: LakeChange,
  { entry, at }: { entry: string; at: string },
): Promise<BuiltSnapshot> {
  const { location } = change.record
  const files = new Map<string, LakeFile>(change.files)
  const add = (name: string, bytes: Buffer): string => {
    const path = `${location}/metadata/${name}-${id}-${sha256Of(bytes)}.avro`
    files.set(path, bytes)
    return path
  }
  const partition = before?.['partition-specs'][0]?.fields ?? partitionBy(schema, dayColumn)
  const manifest = await encodeManifest(entries, { schema, partition })
  const path = add('manifest', manifest)
  const numbers = { snapshot: id, sequence }
  const one = { path, bytes: manifest.length, entries }
  const list = add('snap', await encodeManifestList(one, numbers))
  const summary = { 'callsheet.log_entry': entry, ...change.summary }
  const added = { id, sequence, at, list, location, schema, partition, summary }
  const after = metadataAfter(before, added)
  const text = Buffer.from(JSON.stringify(after))
  const metadata = sha256Of(text)
  const version = before === undefined ? 1 : (last?.version ?? 0) + 1
  const record = { ...change.record, table: after['table-uuid'], version, metadata, list }
  files.set(waitingPath(record), text)
  return { record, metadata: text, files }
}
