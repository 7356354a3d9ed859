import { createHash } from 'node:crypto'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import { counted } from '../../core/values/quantities.ts'
import { readDays } from '../../report/lake/changed-days.ts'
import { changesSince } from '../../report/lake/lake-mark.ts'
import { type LakeRecord, lakeRecords } from '../../report/lake/lake-records.ts'
import {
  contentOf,
  digestInName,
  hintOf,
  type LakeTable,
  metadataName,
  nameIn,
  sha256Of,
} from '../../report/lake/lake-table.ts'
import {
  decodeManifest,
  decodeManifestList,
  type ManifestEntry,
} from '../../report/lake/manifests.ts'
import { schemaOf } from '../../report/lake/metadata.ts'
import { rowsAsOf } from '../../report/report-rows.ts'
import { readSourceRuns } from '../../report/source-runs.ts'
import { type LakePlace, readWhole } from '../../store/lake-place.ts'
import type { Verifying } from './verifying.ts'

interface Checking {
  verifying: Verifying
  lake: LakePlace
  /** Files that were checked already; snapshots share most of their files. */
  seen: Set<string>
}

/**
 * Checks a lake: the metadata of the account's snapshots against their records, which have entries in the
 * log; every file that the snapshots name against the digest in its name; and the rows of the newest
 * snapshot, which readers must see, against the warehouse. Does not judge snapshots of replaced tables.
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
    for (const record of now) {
      const files = await checkSnapshot(checking, record)
      if (record === now.at(-1) && files !== undefined) await compareRows(verifying, record, files)
    }
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

/**
 * Checks a snapshot's metadata, manifests and data files. Returns the account's files; undefined if a list or
 * manifest is missing or altered.
 */
async function checkSnapshot(
  checking: Checking,
  record: LakeRecord,
): Promise<ManifestEntry[] | undefined> {
  const { lake, verifying } = checking
  const { id, account, version, metadata, addition } = record
  const name = metadataName(tableOf(lake, record), version)
  const bytes = await readWhole(lake, name)
  verifying.checked.lakeFiles++
  if (bytes === undefined || sha256Of(bytes) !== metadata)
    addFault(verifying, name, {
      isMissing: bytes === undefined,
      expected: `the metadata that publication ${id} records`,
    })
  const list = await checkNamed(checking, addition.snapshot['manifest-list'])
  if (list === undefined) return undefined
  const files: ManifestEntry[] = []
  let isWhole = true
  for (const { manifest_path: path } of await decodeManifestList(list)) {
    if (checking.seen.has(path)) continue
    const manifest = await checkNamed(checking, path)
    isWhole &&= manifest !== undefined
    const entries = manifest === undefined ? [] : await decodeManifest(manifest)
    const present = entries.filter(({ status }) => status !== 2)
    for (const { data_file: file } of present) await checkNamed(checking, file.file_path)
    files.push(...present.filter(({ data_file: file }) => file.partition.account === account))
  }
  return isWhole ? files : undefined
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
  const expected = 'the content whose SHA-256 is in the name'
  addFault(verifying, path, { isMissing: pieces === undefined, expected })
  return undefined
}

function addFault(
  { findings }: Verifying,
  name: string,
  { isMissing, expected }: { isMissing: boolean; expected: string },
): void {
  const found = isMissing ? 'no file' : 'other content'
  findings.add(isMissing ? 'lake_missing' : 'lake_altered', name, { expected, found })
}

/** Compares the newest snapshot's rows with the warehouse by day. Days changed since are not judged. */
async function compareRows(
  { account, streams, warehouse, findings, notJudged }: Verifying,
  { stream: name, location, mark, addition: { schema } }: LakeRecord,
  files: readonly ManifestEntry[],
): Promise<void> {
  const stream = streams.find((one) => one.name === name)
  const compared = await warehouse.transaction(
    async (tx) => {
      const [run] = mark === undefined ? [] : await readSourceRuns(tx, account, [mark.run])
      const known = { schemas: [schema], 'last-column-id': 0 }
      if (stream === undefined || run === undefined || schemaOf(stream, known) !== schema)
        return undefined
      const { days: later } = await changesSince(tx, { account, stream, run: run.id }, mark)
      if (later === undefined) return undefined
      const days = await readDays({ tx, stream, rows: rowsAsOf(stream, account, run) })
      return { later: new Set(later), days }
    },
    { snapshot: true },
  )
  const skipped = compared?.later.size ?? 'all'
  if (skipped !== 0)
    notJudged.push(
      `Whether the newest snapshot of ${location} has the rows of the warehouse, for ` +
        `${typeof skipped === 'number' ? counted(skipped, 'day') : 'all days'}: they may have changed ` +
        'since. Export again, then verify.',
    )
  if (compared === undefined) return
  const here = new Map(compared.days.map(({ day, digest }) => [day, `${day} ${digest}`]))
  const there = new Map(files.map((one) => [one.data_file.partition.day, contentOf(one)]))
  for (const day of new Set([...here.keys(), ...there.keys()]))
    if (!compared.later.has(day) && here.get(day) !== there.get(day))
      findings.add(
        'lake_differs',
        `${location}, ${day === null ? 'rows without a time' : utcDay(day * DAY_MS)}`,
        {
          expected: 'the rows that the warehouse had when the snapshot was exported',
          found: 'other rows',
        },
      )
}

function tableOf(lake: LakePlace, { location }: LakeRecord): LakeTable {
  return { lake, location, folder: nameIn({ lake }, location) }
}
