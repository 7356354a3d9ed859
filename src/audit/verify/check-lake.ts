import { createHash } from 'node:crypto'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import { counted } from '../../core/values/quantities.ts'
import { columnsDigest, compareDays } from '../../report/lake/changed-days.ts'
import { changesSince } from '../../report/lake/lake-mark.ts'
import { type LakeRecord, lakeRecords } from '../../report/lake/lake-records.ts'
import { digestInName, filesOf, hintOf, metadataPath } from '../../report/lake/lake-table.ts'
import type { ManifestEntry } from '../../report/lake/manifests.ts'
import { rowsAsOf } from '../../report/report-rows.ts'
import { readSourceRuns } from '../../report/source-runs.ts'
import { type LakePlace, readWhole } from '../../store/lake-place.ts'
import type { Verifying } from './verifying.ts'

interface Checking extends Verifying {
  lake: LakePlace
  /** Data files that were checked already; snapshots share most of their data files. */
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
  const checking = { ...verifying, lake, seen: new Set<string>() }
  const records = await lakeRecords(warehouse.db, lake.address)
  if (records.length === 0)
    findings.add('lake_unknown', lake.address, {
      expected: 'a lake that this database wrote',
      found: 'no such snapshot is recorded',
    })
  for (const [location, all] of Map.groupBy(records, (record) => record.location)) {
    const last = all.at(-1)
    const mine = all.filter((record) => record.account === account)
    const now = mine.filter(({ table }) => table === last?.table)
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
async function checkNewest(
  { lake, findings }: Checking,
  { location, version }: LakeRecord,
): Promise<void> {
  const hint = await readWhole(lake, hintOf(location))
  if (hint?.toString() !== String(version))
    findings.add('lake_not_newest', hintOf(location), {
      expected: `version ${version}; if an export was interrupted, run it again`,
      found: hint === undefined ? 'no file' : 'another version',
    })
  const next = metadataPath(location, version + 1)
  if ((await readWhole(lake, next)) !== undefined)
    findings.add('lake_foreign', next, {
      expected: `no version after ${version}`,
      found: 'a version that this database did not record',
    })
}

/**
 * Checks a snapshot's metadata, manifest and data files. Returns the account's files; undefined if the list
 * or the manifest is missing or altered.
 */
async function checkSnapshot(
  checking: Checking,
  { location, version, metadata, list }: LakeRecord,
): Promise<ManifestEntry[] | undefined> {
  await checkFile(checking, metadataPath(location, version), metadata)
  const files = await filesOf(list, (path) => checkFile(checking, path))
  for (const { data_file: file } of files ?? []) {
    if (checking.seen.has(file.file_path)) continue
    checking.seen.add(file.file_path)
    await checkFile(checking, file.file_path)
  }
  return files?.filter(({ data_file: file }) => file.partition.account === checking.account)
}

/** Compares a file with its SHA-256. Returns the content of a manifest or list, if it is right. */
async function checkFile(
  { lake, findings, checked, signal }: Checking,
  path: string,
  sha256 = digestInName(path),
): Promise<Buffer | undefined> {
  signal.throwIfAborted()
  checked.lakeFiles++
  const pieces = await lake.read(path)
  const hash = createHash('sha256')
  const all: Uint8Array[] = []
  for await (const piece of pieces ?? []) {
    hash.update(piece)
    if (path.endsWith('.avro')) all.push(piece)
  }
  if (pieces !== undefined && hash.digest('hex') === sha256) return Buffer.concat(all)
  findings.add(pieces === undefined ? 'lake_missing' : 'lake_altered', path, {
    expected: 'the content whose SHA-256 the snapshot records',
    found: pieces === undefined ? 'no file' : 'other content',
  })
  return undefined
}

/** Compares the newest snapshot's rows with the warehouse by day. Days changed since are not judged. */
async function compareRows(
  { account, streams, warehouse, findings, notJudged }: Verifying,
  { stream: name, location, mark, columns }: LakeRecord,
  files: readonly ManifestEntry[],
): Promise<void> {
  const stream = streams.find((one) => one.name === name)
  const compared = await warehouse.transaction(
    async (tx) => {
      const [run] = mark === undefined ? [] : await readSourceRuns(tx, account, [mark.run])
      if (stream === undefined || run === undefined || columnsDigest(stream) !== columns)
        return undefined
      const { days } = await changesSince(tx, { account, stream, run: run.id }, mark)
      const source = { tx, stream, rows: rowsAsOf(stream, account, run) }
      return days && { later: new Set(days), ...(await compareDays(source, files)) }
    },
    { snapshot: true },
  )
  const { later, changed = [], gone = [] } = compared ?? {}
  if (later?.size !== 0)
    notJudged.push(
      `Whether the newest snapshot of ${location} has the rows of the warehouse, for ` +
        `${later === undefined ? 'all days' : counted(later.size, 'day')}: they may have changed since. ` +
        'Export again, then verify.',
    )
  const other = [...gone].map(({ data_file: file }) => file.partition.day)
  for (const day of new Set([...changed.map((one) => one.day), ...other]))
    if (later?.has(day) === false)
      findings.add(
        'lake_differs',
        `${location}, ${day === null ? 'rows without a time' : utcDay(day * DAY_MS)}`,
        {
          expected: 'the rows that the warehouse had when the snapshot was exported',
          found: 'other rows',
        },
      )
}
