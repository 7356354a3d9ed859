import { type RawBuilder, sql } from 'kysely'
import type { FileKind, FileSource } from '../../core/declare/file-source.ts'
import type { Transaction } from '../connection/connect.ts'
import { now } from '../connection/expressions.ts'
import { current } from '../connection/table-sql.ts'
import {
  expiryOf,
  hasTime,
  itemOf,
  keyOf,
  parentOf,
  type RowsToFetch,
  rowsToFetch,
} from './file-rows-sql.ts'
import { incidentSubject, insertIncidents } from './incidents.ts'
import { joinWhole } from './planner.ts'

/**
 * Every file has one of these: `removed` is what was stored and a rule let go. `refused` was once what nobody
 * asked for again; no file becomes that any more.
 */
export type FileState = 'pending' | 'stored' | 'expired' | 'missing' | 'refused' | 'removed'

export interface FileScope {
  account: string
  kind: FileKind
  runId: number
}

/** What became of a file. One that is left pending says why. */
export interface FileOutcome {
  parent: string
  item: string
  state: Exclude<FileState, 'removed' | 'refused'>
  reason?: string | undefined
  stored?: { sha256: string; size: number }
  /** Something an auditor must be told; what the service never offered is none. */
  incident?: boolean
  /** The service itself said that it is not there: said again in another run, later, it is missing. */
  absent?: boolean
}

/**
 * Enters files that have no row yet as pending, at most so many; answers how many. `days`: only those up to
 * this age.
 */
export async function admitFiles(
  tx: Transaction,
  { source, account, runId }: { source: FileSource; account: string; runId: number },
  { days, most }: { days: number | undefined; most: number },
): Promise<number> {
  await joinWhole(tx)
  let admitted = 0
  for (const rows of source.rows) {
    const unknown = rowsWithoutFile(tx, { account, source, rows, days })
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('callsheet.files')
      .columns(['account', 'kind', 'parent', 'item', 'expires_at', 'state', 'state_at', 'run_id'])
      .expression(
        unknown
          .select(['r.account', sql.val(source.kind).as('kind'), parentOf(rows).as('parent')])
          .select([itemOf(rows).as('item'), expiryOf(source).as('expires_at')])
          .select([sql.val('pending').as('state'), now.as('state_at'), sql.val(runId).as('run_id')])
          .limit(most),
      )
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    admitted = Math.max(admitted, Number(numInsertedOrUpdatedRows))
  }
  return admitted
}

function rowsWithoutFile(tx: Transaction, which: RowsToFetch) {
  const { source, rows } = which
  return rowsToFetch(tx, which).where(({ exists, not, selectFrom }) => {
    const file = selectFrom('callsheet.files as f')
      .whereRef('f.account', '=', 'r.account')
      .where('f.kind', '=', source.kind)
      .where('f.parent', '=', parentOf(rows))
      .where('f.item', '=', itemOf(rows))
    return not(exists(file))
  })
}

/** A parent whose last day was moved moves that of its files, also of what was lost to the earlier one. */
export async function refreshExpiry(
  tx: Transaction,
  { source, account }: { source: FileSource; account: string },
): Promise<void> {
  if (source.expiresAt === undefined) return
  await joinWhole(tx)
  await tx
    .updateTable('callsheet.files as f')
    .from(current(source.parent).as('p'))
    .set({ expires_at: expiryOf(source) })
    .where('f.account', '=', account)
    .where('f.kind', '=', source.kind)
    .where(({ eb, or }) =>
      or([eb('f.state', 'in', ['pending', 'expired']), eb('f.lost', 'is not', null)]),
    )
    .whereRef('p.account', '=', 'f.account')
    .where('f.parent', '=', keyOf(source))
    .where('f.expires_at', 'is distinct from', expiryOf(source))
    .execute()
}

/**
 * What was lost to its day and has time again is fetched after all: the service has moved the day on, or a
 * clock ran ahead. The incident stays, as one of a refused file does that came in a second time. Answers how
 * many.
 */
export async function reviveFiles(
  tx: Transaction,
  { account, kind, runId }: FileScope,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('callsheet.files')
    .set({ state: 'pending', reason: null, state_at: now, run_id: runId })
    .where('account', '=', account)
    .where('kind', '=', kind)
    .where('state', '=', 'expired')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** What is past its time and was not fetched is lost, and an incident each. Answers how many. */
export async function expireFiles(
  tx: Transaction,
  { account, kind, runId }: FileScope,
): Promise<number> {
  const { lost } = await tx
    .with('lost', (db) =>
      db
        .updateTable('callsheet.files')
        .set({ state: 'expired', reason: EXPIRED, state_at: now, run_id: runId })
        .where('account', '=', account)
        .where('kind', '=', kind)
        .where('state', '=', 'pending')
        .where('expires_at', '<=', now)
        .returning(['parent', 'item', 'expires_at', 'tries']),
    )
    .with('told', (db) => {
      const told = db
        .selectFrom('lost')
        .select(({ val }) => val<'expired_before_download'>('expired_before_download').as('kind'))
        .select([incidentSubject(kind).as('subject'), EXPIRED_AT.as('detail')])
      return insertIncidents(db, { account, runId }, told.as('i'))
    })
    .selectFrom('lost')
    .select(({ fn }) => fn.countAll<number>().as('lost'))
    .executeTakeFirstOrThrow()
  return lost
}

/**
 * Lets what was written off be tried once more, unless it is past its time, and what the store has lost as
 * well. Answers how many of the first.
 */
export async function retryFiles(
  tx: Transaction,
  { account, kind }: Omit<FileScope, 'runId'>,
): Promise<number> {
  const asNew = { absent_since: null, absent_run_id: null }
  const { numUpdatedRows } = await tx
    .updateTable('callsheet.files as f')
    .set({ ...asNew, state: 'pending', reason: null, state_at: now })
    .where('f.account', '=', account)
    .where('f.kind', '=', kind)
    .where('f.state', 'in', ['refused', 'missing'])
    .where(hasTime)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('callsheet.files')
    .set({ ...asNew, lost: 'wanted' })
    .where('account', '=', account)
    .where('kind', '=', kind)
    .where('lost', '=', 'gone')
    .execute()
  return Number(numUpdatedRows)
}

const EXPIRED = 'its time was over before it was fetched'
const EXPIRED_AT: RawBuilder<string> = sql`format('expired at %s after %s tries',
  to_char(expires_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), tries)`
