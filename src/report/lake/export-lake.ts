import type { Stream } from '../../core/define/stream.ts'
import { CallsheetError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { LakePlace } from '../../store/lake-place.ts'
import { tryLockText } from '../../warehouse/advisory-lock.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { erasuresSoFar } from '../../warehouse/keep-out/erasure-locks.ts'
import { openTable, tableFacts } from '../export-table.ts'
import { discardStaging, emptyStaging } from '../publish-files.ts'
import { makeReportDirectory, reportFileError } from '../report-directory.ts'
import { runIds } from '../report-moment.ts'
import { dayColumnOf, type LakeDay, readDays, stageDays } from './changed-days.ts'
import { commitSnapshot, type LakeChange, type Stating } from './commit-snapshot.ts'
import { type LakeBase, type LakeTable, lakeTable, publish, readBase } from './lake-base.ts'
import { announceLake } from './lake-records.ts'
import type { ManifestEntry } from './manifests.ts'
import { schemaOf } from './metadata.ts'

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
  /** The days whose file is new, and those whose file the snapshot no longer has. */
  written: number
  removed: number
  /** Undefined if the lake already has this state. */
  snapshot: { id: number; version: number; entry: number | undefined } | undefined
}

/**
 * Brings a lake's table up to the last run that read the stream completely: writes the files of days that
 * changed, then a snapshot without the days' old files, recorded and stated in the evidence log before
 * readers can see it. Writes nothing if neither a row nor the verdict changed. A killed export leaves the old
 * snapshot, and files that no snapshot names.
 */
export async function exportToLake(
  deps: { warehouse: Pick<Warehouse, 'db' | 'transaction'>; state: Stating },
  { account, stream, lake, directory }: LakeRequest,
): Promise<LakeExport> {
  const { warehouse } = deps
  const table = lakeTable(lake, stream)
  await makeReportDirectory(directory)
  const base = await readBase(warehouse, table, account)
  let folder = ''
  try {
    const change = await warehouse.transaction(
      async (tx) => {
        if (!(await tryLockText(tx, table.location, EXPORT_LOCK))) throw busy(table)
        folder = await emptyStaging(directory, `${account}-table-${stream.name}-lake`)
        return await readChange(tx, { account, stream, table, base, folder }).catch((error) => {
          throw reportFileError(error, directory)
        })
      },
      { snapshot: true },
    )
    await point('lake:staged')
    const { record, whole, verdict, staged, kept, gone } = change
    const { asOfMs } = record
    const rows = [...staged, ...kept.map(({ data_file: file }) => ({ rows: file.record_count }))]
    const result = {
      location: table.location,
      asOfMs,
      whole,
      verdict,
      written: staged.length,
      rows: rows.reduce((sum, one) => sum + one.rows, 0),
      removed: gone.length,
    }
    if (isSame(base, change)) return { ...result, snapshot: undefined }
    return { ...result, snapshot: await publishChange(deps, table, { base, change }) }
  } finally {
    if (folder !== '') await discardStaging(folder)
  }
}

interface Reading {
  account: string
  stream: Stream
  table: LakeTable
  base: LakeBase
  folder: string
}

async function readChange(
  tx: Transaction,
  { account, stream, table: { location }, base, folder }: Reading,
): Promise<LakeChange> {
  const mark = await erasuresSoFar(tx, account)
  const { rows, facts, moment } = await openTable(tx, { account, stream })
  const schema = schemaOf(stream, base.metadata)
  const source = { tx, account, stream, rows }
  const files = new Map(base.own.map((entry) => [nameOfEntry(entry), entry]))
  const kept: ManifestEntry[] = []
  const changed: LakeDay[] = []
  for (const one of await readDays(source)) {
    const name = `${one.day} ${one.digest}`
    const file = files.get(name)
    if (file === undefined) changed.push(one)
    else kept.push(file)
    files.delete(name)
  }
  const { asOfMs, whole, verdict } = facts
  return {
    record: { account, stream: stream.name, location, asOfMs, runIds: runIds(moment) },
    schema,
    dayColumn: dayColumnOf(stream),
    whole,
    verdict,
    kept,
    mark,
    summary: tableFacts({ request: { account, stream }, facts, moment }),
    staged: await stageDays(source, changed, { folder, schema }),
    gone: [...files.values()],
  }
}

/** The day and the digest of the rows, which begins the name of a data file. */
function nameOfEntry({ data_file: { partition, file_path: path } }: ManifestEntry): string {
  return `${partition.day} ${path.slice(path.lastIndexOf('/') + 1).split('-')[0]}`
}

function isSame(base: LakeBase, { staged, gone, whole, record: { account } }: LakeChange): boolean {
  const last = base.metadata?.snapshots.findLast(
    ({ summary }) => summary['callsheet.account'] === account,
  )
  return staged.length + gone.length === 0 && last?.summary['callsheet.whole'] === String(whole)
}

async function publishChange(
  { warehouse, state }: Parameters<typeof exportToLake>[0],
  table: LakeTable,
  { base, change }: { base: LakeBase; change: LakeChange },
): Promise<LakeExport['snapshot']> {
  const { record, mark } = change
  if (!(await warehouse.transaction((tx) => announceLake(tx, record, mark)))) throw overtaken(table)
  await point('lake:announced')
  const done = await commitSnapshot({ warehouse, state }, table, { base, change })
  if (done === undefined) throw overtaken(table)
  await point('lake:recorded')
  const { metadata, id, version, entry } = done
  await publish(table, { version }, metadata)
  return { id, version, entry }
}

function busy({ location }: LakeTable): CallsheetError {
  return new CallsheetError('lake_busy', {
    tried: `Exporting to ${location}`,
    came: 'another export is writing this table',
    todo: 'wait until it has ended, then run again; nothing was written',
  })
}

function overtaken({ location }: LakeTable): CallsheetError {
  return new CallsheetError('lake_withdrawn', {
    tried: `Exporting to ${location}`,
    came: 'a person was erased meanwhile, so the new files were removed, as they may name that person',
    todo: 'export again',
  })
}

const EXPORT_LOCK = 2_026_000_048
