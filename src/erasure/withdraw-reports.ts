import { dirname } from 'node:path'
import { point } from '../core/kill-point.ts'
import { LAKE_EXPORT } from '../report/lake/lake-records.ts'
import {
  lastAt,
  markFiles,
  type PublishedRow,
  publishedRows,
  type RecordedFile,
} from '../report/published-reports.ts'
import { isOfBundle, notErased, removeFile, stateOf, systemCode } from './published-file.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import type { Doubts, Withdrawal, Withdrawing, Withdrawn } from './withdrawing.ts'

/**
 * Withdraws the account's publications that cover erased rows: removes their files and publishes them again
 * without the person. A publication whose parameters name the person is not published again, and these
 * parameters are cleared. Some files need a decision: files that were changed, moved or sent, that no ledger
 * records, or that cannot be made again. They are reported until the operator has dealt with them. The caller
 * erases the rows first. Each removal is recorded before it is done, so the next call completes an
 * interrupted one. Tries all files, and throws at the end if one could not be read or removed.
 */
export async function withdrawReports(given: Withdrawing): Promise<Withdrawn> {
  const withdrawn: Withdrawn = {
    reports: 0,
    files: 0,
    bytes: 0,
    anew: 0,
    undecided: [],
    settled: [],
  }
  const run: Withdrawal = {
    ...given,
    withdrawn,
    faults: new Map(),
    folders: new Set([given.directory]),
  }
  const { warehouse, account, signal } = given
  for (let after: number | undefined = 0; after !== undefined; ) {
    const lot = await publishedRows(warehouse.db, { account, after, limit: LOT })
    const last = await lastAt(
      warehouse.db,
      lot.flatMap(({ files }) => files.map(({ path }) => path)),
    )
    for (const row of lot) {
      signal.throwIfAborted()
      if (row.report === LAKE_EXPORT) await listLake(run, row)
      else {
        const isLast = (path: string): boolean => {
          const one = last.get(path)
          return one?.account === account && one.id === row.id
        }
        await withdrawRow(run, row, isLast)
      }
    }
    after = lot.at(-1)?.id
  }
  await removeLeftovers(run)
  if (run.faults.size > 0) throw notErased(account, run.faults)
  return withdrawn
}

/** Reports each table of a lake once. Its files stay: a snapshot without one of them could not be read. */
async function listLake(
  { account, warehouse, withdrawn, settled }: Withdrawal,
  { id, files }: PublishedRow,
): Promise<void> {
  const doubts = withdrawn[settled ? 'settled' : 'undecided']
  for (const { path, open, ...file } of files) {
    if (open === undefined) continue
    if (!doubts.some((one) => one.file === path)) doubts.push({ file: path, why: open })
    if (!settled) continue
    const marks = new Map([[path, { ...file, path }]])
    await warehouse.transaction((tx) => markFiles(tx, { account, id }, marks))
  }
}

async function withdrawRow(
  run: Withdrawal,
  row: PublishedRow,
  isLast: (path: string) => boolean,
): Promise<void> {
  const { params, named } = withoutPerson(row.params, run.named)
  const { files } = row
  for (const { path } of files) run.folders.add(dirname(path))
  if (named) for (const file of files) if (file.erased !== true) file.erasing = true
  if (!named && !files.some(({ erasing, open }) => erasing === true || open !== undefined)) return
  if (named || files.some(({ erasing, erased }) => erasing === true && erased !== true))
    run.withdrawn.reports++
  const faults = run.faults.size
  const { doubts, changed } = await withdrawFiles(run, { row, isLast })
  const gone = files.filter((file) => file.erasing === true && file.erased === true)
  const again = gone.map(({ path }) => path).filter((path) => isLast(path) && !isOfBundle(path))
  // A report is remade only if all its marked files could be removed, and never if it names the person.
  const isFor = named || Object.values(row.params).includes(null)
  if (again.length > 0 && !isFor && run.faults.size === faults) {
    const left = run.dryRun ? [] : await run.remake(row, again)
    if (left.length === 0) run.withdrawn.anew++
    doubts.push(...left)
    await point('erase:report')
  }
  for (const { path, open } of files) if (open !== undefined) doubts.push({ file: path, why: open })
  run.withdrawn[run.settled ? 'settled' : 'undecided'].push(...doubts)
  const done = run.faults.size === faults && (run.settled || doubts.length === 0)
  const marks = new Map(files.map((file) => [file.path, done ? settledFile(file, changed) : file]))
  const { account } = run
  const left = named ? { account, id: row.id, params } : { account, id: row.id }
  await run.warehouse.transaction((tx) => markFiles(tx, left, marks))
}

/** Settles a file. A changed file does not count as erased: it may name a person who is erased later. */
function settledFile(
  { erasing, open: _open, erased, ...file }: RecordedFile,
  changed: ReadonlySet<string>,
): RecordedFile {
  const isGone = (erasing === true || erased === true) && !changed.has(file.path)
  return isGone ? { ...file, erased: true } : file
}

/** Removes marked files that are still as published; reports changed, moved and missing ones. */
async function withdrawFiles(
  run: Withdrawal,
  { row, isLast }: { row: PublishedRow; isLast: (path: string) => boolean },
): Promise<{ doubts: Doubts; changed: ReadonlySet<string> }> {
  const doubts: Doubts = []
  const changed = new Set<string>()
  const going: RecordedFile[] = []
  for (const file of row.files) {
    if (file.erasing !== true) continue
    const state = await stateOf(run.warehouse, file, isLast(file.path)).catch((error: unknown) => {
      run.faults.set(file.path, systemCode(error))
    })
    if (state === 'ours') going.push(file)
    else if (state === 'replaced') file.erased = true
    else if (state === 'changed' || (state === 'absent' && file.erased !== true))
      doubts.push({ file: file.path, why: WHY[state] })
    if (state === 'changed') changed.add(file.path)
  }
  for (const file of going) file.erased = true
  const marks = new Map(row.files.map((file) => [file.path, file]))
  await run.warehouse.transaction((tx) =>
    markFiles(tx, { account: run.account, id: row.id }, marks),
  )
  await point('erase:report')
  for (const file of going) {
    try {
      if (!run.dryRun && !(await removeFile(file.path))) continue
      run.withdrawn.files++
      run.withdrawn.bytes += file.bytes
    } catch (error) {
      run.faults.set(file.path, systemCode(error))
    }
  }
  await point('erase:report')
  return { doubts, changed }
}

/** Replaces each value that names the person with null. Returns true if there was such a value. */
function withoutPerson(
  params: PublishedRow['params'],
  isNamed: (text: string) => boolean,
): { params: PublishedRow['params']; named: boolean } {
  const left = JSON.stringify(params, (_key, value: unknown) =>
    (typeof value === 'string' || typeof value === 'number') && isNamed(String(value))
      ? null
      : value,
  )
  const named = left !== JSON.stringify(params)
  return { params: named ? (JSON.parse(left) as PublishedRow['params']) : params, named }
}

const WHY = {
  changed: 'it was changed since it was published',
  absent: 'it was moved or removed since it was published',
} as const
const LOT = 200
