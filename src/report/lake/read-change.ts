import { randomInt } from 'node:crypto'
import type { Stream } from '../../core/define/stream.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import { slug } from '../../core/values/slug.ts'
import type { LocalFile } from '../../store/lake-place.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { erasuresSoFar } from '../../warehouse/keep-out/erasure-locks.ts'
import { openTable, tableFacts } from '../export-table.ts'
import { runIds, sourceOf } from '../report-moment.ts'
import { columnsDigest, compareDays, dayColumnOf, stageDays } from './changed-days.ts'
import { changesSince } from './lake-mark.ts'
import type { LakeRecord } from './lake-records.ts'
import type { LakeBase } from './lake-table.ts'
import type { ManifestEntry } from './manifests.ts'
import { type LakeSchema, schemaOf } from './metadata.ts'

/** The state of an account's table, and how it differs from the lake's current snapshot. */
export interface LakeChange {
  record: Pick<LakeRecord, 'account' | 'stream' | 'location' | 'whole' | 'columns' | 'mark'>
  asOfMs: number
  verdict: string
  runIds: readonly number[]
  /** What the snapshot's summary says about the data. */
  summary: Readonly<Record<string, string>>
  schema: LakeSchema
  dayColumn: string
  /** The next snapshot's ID, its number, and the entries of its manifest. */
  snapshot: number
  sequence: number
  entries: readonly ManifestEntry[]
  /** The new data files, by their paths in the lake. */
  files: ReadonlyMap<string, LocalFile>
  /** Identifies the erasures until the rows were read. */
  erasures: string
}

interface Reading {
  account: string
  stream: Stream
  location: string
  base: LakeBase
  /** The folder for the new data files. */
  folder: string
}

/** Reads the days that changed since the account's last snapshot, and writes a file for each that differs. */
export async function readChange(
  tx: Transaction,
  { account, stream, location, base, folder }: Reading,
): Promise<LakeChange> {
  const erasures = await erasuresSoFar(tx, account)
  const { rows, facts, moment } = await openTable(tx, { account, stream })
  const { asOfMs, whole, verdict } = facts
  const columns = columnsDigest(stream)
  const schema = schemaOf(stream, base.metadata)
  const since = base.own?.columns === columns ? base.own.mark : undefined
  const run = sourceOf(moment, stream).id
  const { days, mark } = await changesSince(tx, { account, stream, run }, since)
  const source = { tx, account, stream, rows }
  const own = base.files.filter((one) => one.data_file.partition.account === account)
  const { changed, gone } = await compareDays(source, own, days)
  const snapshot = randomInt(1, MOST_ID)
  const sequence = (base.metadata?.['last-sequence-number'] ?? 0) + 1
  const numbers = {
    snapshot_id: snapshot,
    sequence_number: sequence,
    file_sequence_number: sequence,
  }
  const entries: ManifestEntry[] = base.files.map((one) =>
    gone.has(one) ? { ...one, status: 2, snapshot_id: snapshot } : { ...one, status: 0 },
  )
  const files = new Map<string, LocalFile>()
  for (const { day, digest, ...file } of await stageDays(source, changed, { folder, schema })) {
    const date = day === null ? 'none' : utcDay(day * DAY_MS)
    const name = `account=${slug(account)}/day=${date}/${digest}-${snapshot}-${file.sha256}.parquet`
    const path = `${location}/data/${name}`
    files.set(path, file)
    const partition = { account, day }
    const sizes = { record_count: file.rows, file_size_in_bytes: file.bytes }
    const kind = { content: 0, file_format: 'PARQUET' } as const
    const data_file = { ...kind, file_path: path, partition, ...sizes }
    entries.push({ status: 1, ...numbers, data_file })
  }
  return {
    record: { account, stream: stream.name, location, whole, columns, mark },
    asOfMs,
    verdict,
    runIds: runIds(moment),
    summary: tableFacts({ request: { account, stream }, facts, moment }),
    schema,
    dayColumn: dayColumnOf(stream),
    snapshot,
    sequence,
    entries,
    files,
    erasures,
  }
}

/** `randomInt` gives numbers below this. */
const MOST_ID = 2 ** 48 - 1
