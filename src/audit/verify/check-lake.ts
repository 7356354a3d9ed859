import { createHash } from 'node:crypto'
import {
  digestInName,
  hintOf,
  type LakeTable,
  metadataName,
  nameIn,
  sha256Of,
} from '../../report/lake/lake-base.ts'
import { type LakeRecord, lakeRecords } from '../../report/lake/lake-records.ts'
import { decodeManifest, decodeManifestList } from '../../report/lake/manifests.ts'
import { type LakePlace, readWhole } from '../../store/lake-place.ts'
import type { Verifying } from './verifying.ts'

interface Checking {
  verifying: Verifying
  lake: LakePlace
  /** Files that were checked already; snapshots share most of their files. */
  seen: Set<string>
}

/**
 * Checks a lake: the metadata of each of the account's snapshots against its record, which has an entry in
 * the log, and every file that the snapshots name against the digest in its name. The newest snapshot must be
 * the one that readers see.
 */
export async function checkLake(verifying: Verifying): Promise<void> {
  const { lake, account, warehouse, findings, notJudged } = verifying
  if (lake === undefined) return
  const records = await lakeRecords(warehouse.db, `${lake.address}/`)
  if (records.length === 0)
    findings.add('lake_unknown', lake.address, {
      expected: 'a lake that this database wrote',
      found: 'no such snapshot is recorded',
    })
  const checking = { verifying, lake, seen: new Set<string>() }
  for (const [location, all = []] of Map.groupBy(records, (record) => record.location)) {
    const last = all.at(-1)
    const mine = all.filter((record) => record.account === account)
    const now = mine.filter(({ addition }) => addition.uuid === last?.addition.uuid)
    if (last === undefined || mine.length === 0) continue
    if (now.length < mine.length)
      notJudged.push(
        `Whether ${mine.length - now.length} snapshots of an earlier table at ${location} were right: ` +
          'a new table replaced it.',
      )
    await checkNewest(checking, last)
    for (const record of now) await checkSnapshot(checking, record)
  }
}

/** The version that readers find must be the newest recorded one, and no other program may have added one. */
async function checkNewest({ verifying, lake }: Checking, last: LakeRecord): Promise<void> {
  const { findings } = verifying
  const table = tableOf(lake, last)
  const hint = await readWhole(lake, hintOf(table))
  if (hint?.toString() !== String(last.version))
    findings.add('lake_not_newest', hintOf(table), {
      expected: `version ${last.version}; if an export was interrupted, run it again`,
      found: hint === undefined ? 'no file' : 'another version',
    })
  if ((await readWhole(lake, metadataName(table, last.version + 1))) !== undefined)
    findings.add('lake_foreign', metadataName(table, last.version + 1), {
      expected: `no version after ${last.version}`,
      found: 'a version that this database did not record',
    })
}

async function checkSnapshot(checking: Checking, record: LakeRecord): Promise<void> {
  const { lake, verifying } = checking
  const { version, metadata, addition } = record
  const table = tableOf(lake, record)
  const name = metadataName(table, version)
  const bytes = await readWhole(lake, name)
  verifying.checked.lakeFiles++
  if (bytes === undefined || sha256Of(bytes) !== metadata)
    verifying.findings.add(bytes === undefined ? 'lake_missing' : 'lake_altered', name, {
      expected: `the metadata that publication ${record.id} records`,
      found: bytes === undefined ? 'no file' : 'other content',
    })
  const list = await checkNamed(checking, addition.snapshot['manifest-list'])
  for (const { manifest_path: path } of list === undefined ? [] : await decodeManifestList(list)) {
    const manifest = await checkNamed(checking, path)
    for (const { status, data_file: file } of manifest ? await decodeManifest(manifest) : [])
      if (status !== 2) await checkNamed(checking, file.file_path)
  }
}

/**
 * Compares a file with the digest in its name. Returns the content of a manifest or list if it is right and
 * was not returned before.
 */
async function checkNamed(checking: Checking, path: string): Promise<Buffer | undefined> {
  const { verifying, lake, seen } = checking
  if (seen.has(path)) return undefined
  seen.add(path)
  verifying.signal.throwIfAborted()
  const name = nameIn({ lake }, path)
  const pieces = name === '' ? undefined : await lake.read(name)
  verifying.checked.lakeFiles++
  const hash = createHash('sha256')
  const all: Uint8Array[] = []
  for await (const piece of pieces ?? []) {
    hash.update(piece)
    if (path.endsWith('.avro')) all.push(piece)
  }
  if (pieces !== undefined && hash.digest('hex') === digestInName(path)) return Buffer.concat(all)
  verifying.findings.add(pieces === undefined ? 'lake_missing' : 'lake_altered', path, {
    expected: 'the content whose SHA-256 is in the name',
    found: pieces === undefined ? 'no file' : 'other content',
  })
  return undefined
}

function tableOf(lake: LakePlace, { location }: LakeRecord): LakeTable {
  return { lake, location, folder: nameIn({ lake }, location) }
}
