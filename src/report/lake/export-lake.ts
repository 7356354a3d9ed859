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
import { runIds, sourceOf } from '../report-moment.ts'
import { dayColumnOf, type LakeDay, readDays, stageDays } from './changed-days.ts'
import { busy, commitSnapshot, type LakeChange, type Stating } from './commit-snapshot.ts'
import { changesSince } from './lake-mark.ts'
import { announceLake } from './lake-records.ts'
import {
  contentOf,
  type LakeBase,
  type LakeTable,
  lakeTable,
  publish,
  readBase,
} from './lake-table.ts'
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
    const rows = [
      ...staged.map((day) => day.rows),
      ...kept.map((one) => one.data_file.record_count),
    ]
    const result = {
      location: table.location,
      asOfMs: record.asOfMs,
      whole,
      verdict,
      written: staged.length,
      rows: rows.reduce((sum, one) => sum + one, 0),
      removed: gone.length,
    }
    const isSame = base.own?.addition.snapshot.summary['callsheet.whole'] === String(whole)
    if (staged.length + gone.length === 0 && isSame) return { ...result, snapshot: undefined }
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
  const erasures = await erasuresSoFar(tx, account)
  const { rows, facts, moment } = await openTable(tx, { account, stream })
  const run = sourceOf(moment, stream).id
  const schema = schemaOf(stream, base.metadata)
  const isKnown = schema['schema-id'] === base.own?.addition.schema['schema-id']
  const since = isKnown ? base.mark : undefined
  const { days, mark } = await changesSince(tx, { account, stream, run }, since)
  const source = { tx, account, stream, rows }
  const isKept = ({ data_file: { partition } }: LakeBase['files'][number]): boolean =>
    days !== undefined && !days.includes(partition.day)
  const kept = base.files.filter(isKept)
  const files = new Map(
    base.files.filter((one) => !isKept(one)).map((one) => [contentOf(one), one]),
  )
  const changed: LakeDay[] = []
  for (const one of await readDays(source, days)) {
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
    erasures,
    summary: tableFacts({ request: { account, stream }, facts, moment }),
    staged: await stageDays(source, changed, { folder, schema }),
    gone: [...files.values()],
  }
}

async function publishChange(
  { warehouse, state }: Parameters<typeof exportToLake>[0],
  table: LakeTable,
  { base, change }: { base: LakeBase; change: LakeChange },
): Promise<LakeExport['snapshot']> {
  const { record, erasures } = change
  const recordId = await warehouse.transaction((tx) => announceLake(tx, record, erasures))
  await point('lake:announced')
  const done =
    recordId && (await commitSnapshot({ warehouse, state }, table, { base, change, recordId }))
  if (!done)
    throw new CallsheetError('lake_withdrawn', {
      tried: `Exporting to ${table.location}`,
      came: 'a person was erased meanwhile, so the new files were removed, as they may name that person',
      todo: 'export again',
    })
  await point('lake:recorded')
  const { metadata, ...snapshot } = done
  await publish(table, snapshot.version, metadata)
  return snapshot
}

const EXPORT_LOCK = 2_026_000_048
