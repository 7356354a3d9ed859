import type { Stream } from '../../core/define/stream.ts'
import { CallsheetError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { LakePlace } from '../../store/lake-place.ts'
import { lockText } from '../../warehouse/advisory-lock.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { noneErasedSince } from '../../warehouse/keep-out/erasure-locks.ts'
import { discardStaging, emptyStaging } from '../publish-files.ts'
import { makeReportDirectory, reportFileError } from '../report-directory.ts'
import { buildSnapshot } from './build-snapshot.ts'
import { announceLake, lakeRecords, recordSnapshot } from './lake-records.ts'
import { type LakeBase, type LakeTable, lakeTable, publish, readBase } from './lake-table.ts'
import { type LakeChange, readChange } from './read-change.ts'

/**
 * States a recorded snapshot in the evidence log, in the transaction that records it. Returns false if the
 * account keeps no evidence yet.
 */
export type StatesLake = (tx: Transaction, account: string, id: number) => Promise<boolean>

interface LakeDeps {
  warehouse: Pick<Warehouse, 'db' | 'transaction'>
  state: StatesLake
}

export interface LakeRequest {
  account: string
  stream: Stream
  lake: LakePlace
  /** The folder in which data files are made before they are stored; an erasure clears it. */
  directory: string
}

export interface LakeExport {
  location: string
  asOfMs: number
  whole: boolean
  verdict: string
  rows: number
  /** How many days got a new file, and how many files the snapshot no longer has. */
  written: number
  removed: number
  /** Undefined if the lake already has this state. `entry`: its entry in the evidence log. */
  snapshot: { id: number; version: number; entry: string | undefined } | undefined
}

/**
 * Brings a lake's table up to the last run that read the stream completely: writes the files of days that
 * changed, then a snapshot without the days' old files, recorded and stated in the evidence log before
 * readers can see it. Writes nothing if neither a row nor `whole` changed. A killed export leaves the old or
 * the new snapshot readable; the next export completes it. Files that no snapshot names may stay.
 */
export async function exportToLake(
  deps: LakeDeps,
  { account, stream, lake, directory }: LakeRequest,
): Promise<LakeExport> {
  const { warehouse } = deps
  const table = lakeTable(lake, stream)
  await makeReportDirectory(directory)
  const base = await readBase(warehouse.db, table, account)
  const folder = await emptyStaging(directory, `${account}-table-${stream.name}-lake`)
  try {
    const { location } = table
    const change = await warehouse.transaction(
      (tx) =>
        readChange(tx, { account, stream, location, base, folder }).catch((error) => {
          throw reportFileError(error, directory)
        }),
      { snapshot: true },
    )
    await point('lake:staged')
    const { asOfMs, verdict, entries } = change
    const { whole } = change.record
    const own = entries.filter((one) => one.data_file.partition.account === account)
    const [kept = [], added = [], gone = []] = [0, 1, 2].map((status) =>
      own.filter((one) => one.status === status).map((one) => one.data_file.record_count),
    )
    const isSame = added.length + gone.length === 0 && base.own?.whole === whole
    return {
      location,
      asOfMs,
      whole,
      verdict,
      rows: [...kept, ...added].reduce((sum, one) => sum + one, 0),
      written: added.length,
      removed: gone.length,
      snapshot: isSame ? undefined : await addSnapshot(deps, table, { base, change }),
    }
  } finally {
    await discardStaging(folder)
  }
}

/**
 * Stores the files of a snapshot, records it together with its log entry, and publishes it. Removes the files
 * if a person was erased or the table was written since the rows were read. If the recording fails, they
 * stay: it may have succeeded.
 */
async function addSnapshot(
  { warehouse, state }: LakeDeps,
  table: LakeTable,
  { base, change }: { base: LakeBase; change: LakeChange },
): Promise<LakeExport['snapshot']> {
  const { lake, location } = table
  const {
    record: { account },
    erasures,
  } = change
  const announced = await warehouse.transaction((tx) => announceLake(tx, change))
  if (announced === undefined) throw busy(location)
  await point('lake:announced')
  const { id, at } = announced
  const entry = `ledger/lakes/${id}`
  const { record, metadata, files } = await buildSnapshot(base, change, { entry, at })
  for (const [path, file] of files) {
    await lake.put(path, file)
    await point('lake:file')
  }
  const recorded = await warehouse.transaction(async (tx) => {
    await lockText(tx, location, { space: COMMIT_LOCK })
    if ((await lakeRecords(tx, location)).at(-1)?.id !== base.record?.id) return undefined
    if (!(await noneErasedSince(tx, account, erasures))) return undefined
    await recordSnapshot(tx, { id, ...record })
    return { isStated: await state(tx, account, id) }
  })
  if (recorded === undefined) {
    // Best effort: files that no snapshot names are harmless to readers.
    for (const path of files.keys()) await lake.remove(path).catch(() => undefined)
    throw busy(location)
  }
  await point('lake:recorded')
  await publish(table, record, metadata)
  const { version } = record
  return { id: change.snapshot, version, entry: recorded.isStated ? entry : undefined }
}

function busy(location: string): CallsheetError {
  return new CallsheetError('lake_busy', {
    tried: `Exporting to ${location}`,
    came:
      'another export wrote this table meanwhile, or a person was erased whom the new files may name, ' +
      'so they were removed',
    todo: 'export again',
  })
}

const COMMIT_LOCK = 2_026_000_049
