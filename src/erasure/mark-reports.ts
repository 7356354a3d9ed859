import type { Report } from '../core/define/report.ts'
import { LAKE_EXPORT } from '../report/lake/lake-records.ts'
import { markFiles, publishedRows, type RecordedFile } from '../report/published-reports.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { lockSuppressions } from '../warehouse/keep-out/erasure-locks.ts'
import { type Covering, covering, readsStream, type TouchedRows } from './covering-reports.ts'
import type { Erasing } from './erasing.ts'
import { beginRequest } from './sql/erasure-requests.ts'
import { type ReportMarks, sentFiles, sentKey } from './sql/sent-reports.ts'

/**
 * Call this first in a transaction that deletes or redacts rows. A report made from these rows is either
 * recorded before, and `markReports` marks it, or its process waits for this transaction and then notices the
 * erasure.
 */
export async function beginErasing(
  tx: Transaction,
  { account, request, dryRun }: Pick<Erasing, 'account' | 'request' | 'dryRun'>,
): Promise<void> {
  if (dryRun) return
  await lockSuppressions(tx, account)
  await beginRequest(tx, { account, id: request })
}

interface Marking {
  account: string
  reports: { all: readonly Report[] }
  marks: ReportMarks
}

/**
 * Marks the account's publications that cover the touched rows, in the transaction that changes the rows. If
 * the process then dies, the next erasure withdraws the marked publications. Returns the publications to add
 * to `covered` once the transaction is committed.
 */
export async function markReports(
  tx: Transaction,
  { account, reports, marks }: Marking,
  touched: TouchedRows,
): Promise<number[]> {
  const { stream, sinceMs } = touched
  const narrowed = stream !== undefined && {
    sinceMs,
    notIds: [...marks.covered],
    notReports: reports.all.filter((one) => !readsStream(one, stream)).map(({ name }) => name),
  }
  const covered: number[] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const lot = await publishedRows(tx, { account, after, limit: LOT, ...narrowed })
    for (const row of lot) {
      const how = covering(reports.all, row, touched)
      if (how === 'none') continue
      if (stream !== undefined) covered.push(row.id)
      const sent = (marks.sent ??= await sentFiles(tx, account))
      const marked = row.files.map((file) =>
        row.report === LAKE_EXPORT
          ? { ...file, open: IN_LAKE }
          : marksOf(file, how, sent.get(sentKey(file))),
      )
      if (marked.some((file, at) => file !== row.files[at]))
        await markFiles(
          tx,
          { account, id: row.id },
          new Map(marked.map((file) => [file.path, file])),
        )
    }
    after = lot.at(-1)?.id
  }
  return covered
}

/** Returns new marks, or the given object if nothing changes. Even a removed file may have been sent. */
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

const IN_LAKE =
  'its snapshots may have rows of this person: delete the table from the lake, and export it again'
const OLDER = 'it is made from entries of the ledger that are no longer kept'
const LOT = 200
