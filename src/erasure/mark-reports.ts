import type { Report } from '../core/define/report.ts'
import { markFiles, publishedRows, type RecordedFile } from '../report/published-reports.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { lockSuppressions } from '../warehouse/keep-out/erasure-locks.ts'
import { type Covering, covering, type TouchedRows } from './covering-reports.ts'
import { beginRequest } from './sql/erasure-requests.ts'
import { sentFiles, sentKey } from './sql/sent-reports.ts'

/** What an erasure marks with, and has marked so far. */
export interface MarkingErasure {
  account: string
  dryRun: boolean
  /** Of the person. */
  request: number
  reports: { all: readonly Report[] }
  /** What is marked of publications so far. */
  marked: Marked
}

/**
 * Begins a transaction that takes rows out. A report that was made of them is recorded before, and marked
 * here, or not at all: whoever records one waits for this transaction, and finds that an erasure went on.
 */
export async function holdReports(
  tx: Transaction,
  { account, request, dryRun }: MarkingErasure,
): Promise<void> {
  if (dryRun) return
  await lockSuppressions(tx, account)
  await beginRequest(tx, request)
}

/** Marks what tells of such rows, in the transaction that takes them out. */
export async function markTouched(
  tx: Transaction,
  erasing: MarkingErasure,
  touched: TouchedRows,
): Promise<void> {
  const { account, dryRun, reports } = erasing
  const marked = await markReports(tx, { account, reports: reports.all, touched, dryRun })
  for (const [id, files] of marked) erasing.marked.set(id, files)
}

export interface Marking {
  account: string
  reports: readonly Report[]
  touched: TouchedRows
  dryRun: boolean
}

/** By publication what an erasure marks of its files. */
export type Marked = Map<number, ReadonlyMap<string, RecordedFile>>

/**
 * Marks the account's publications that tell of the rows, in the transaction that takes these out: whatever
 * ends the process then, the next erasure withdraws what is marked.
 */
export async function markReports(
  tx: Transaction,
  { account, reports, touched, dryRun }: Marking,
): Promise<Marked> {
  const marked: Marked = new Map()
  const sent = await sentFiles(tx, account)
  for (let after: number | undefined = 0; after !== undefined; ) {
    const lot = await publishedRows(tx, { account, after, limit: LOT })
    for (const row of lot) {
      const how = covering(reports, row, touched)
      if (how === 'none') continue
      const marks = row.files.map((file) => marksOf(file, how, sent.get(sentKey(file))))
      const byPath = new Map(marks.map((file) => [file.path, file]))
      if (marks.some((file, at) => file !== row.files[at])) marked.set(row.id, byPath)
    }
    after = lot.at(-1)?.id
  }
  if (!dryRun) for (const [id, marks] of marked) await markFiles(tx, { id }, marks)
  return marked
}

/** The same file where nothing is to be marked. A removed one may have been sent before. */
function marksOf(file: RecordedFile, how: Covering, sent?: ReadonlySet<string>): RecordedFile {
  const doubts = [
    ...(how === 'unsure' && file.erased !== true ? [OLDER] : []),
    ...(sent === undefined ? [] : [`it was sent (${[...sent].join(', ')})`]),
  ]
  const erasing = file.erasing === true || (how === 'covers' && file.erased !== true)
  const open = doubts.length === 0 ? file.open : doubts.join('; ')
  if ((file.erasing === true) === erasing && file.open === open) return file
  return {
    ...file,
    ...(erasing ? { erasing } : {}),
    ...(open === undefined ? {} : { open }),
  }
}

const OLDER = 'it is made from entries of the ledger that are no longer kept'
const LOT = 200
