import { type RawBuilder, sql } from 'kysely'
import type { FileKind, FileSource } from '../../core/define/file-source.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { current } from '../../warehouse/schema/table-sql.ts'
import {
  expiryOf,
  itemOf,
  joinWhole,
  parentKey,
  parentOf,
  type RowsToFetch,
  rowsToFetch,
} from './file-rows-sql.ts'
import { incidentSubject, insertIncidents } from './incidents.ts'

/** The state of a file. `removed`: it was stored, and a retention rule or an erasure removed it. */
export type FileState = 'pending' | 'stored' | 'expired' | 'missing' | 'removed'

export interface FileScope {
  account: string
  kind: FileKind
  runId: number
}

/** The result of an attempt at a file. A file that stays pending has a reason. */
export interface FileOutcome {
  parent: string
  item: string
  state: 'pending' | 'stored' | 'missing'
  reason?: string | undefined
  stored?: { sha256: string; size: number }
  /** True if the service said that the file does not exist; a later second answer makes it `missing`. */
  absent?: boolean
}

/**
 * Adds pending files for rows that have none, at most `most` for each kind of row. Returns the largest number
 * added for one kind. `days`: only rows of at most this age.
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

/** Copies a changed expiry from the parents to files that are pending, expired, or lost by the store. */
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
    .where('f.parent', '=', parentKey(source))
    .where('f.expires_at', 'is distinct from', expiryOf(source))
    .execute()
}

/** Marks pending files as expired when their time is over, with an incident each. Returns their number. */
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

const EXPIRED = 'the file expired before it was downloaded'
const EXPIRED_AT: RawBuilder<string> = sql`format('expired at %s after %s tries',
  to_char(expires_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), tries)`

export interface FileStateCount {
  kind: FileKind
  state: string
  files: number
  bytes: number
}

/**
 * How many files are in each state. An activity without a row counts as `pending`. A missing file without an
 * incident was never offered by the service, and counts as `no file`, as in the audit.
 */
export async function countFileStates(db: Transaction, account: string): Promise<FileStateCount[]> {
  const known = db
    .selectFrom('callsheet.files')
    .select(({ eb, fn, lit, ref, selectFrom }) => {
      const subject = sql<string>`(kind || ':' || parent || ':' || item)`
      const told = selectFrom('callsheet.incidents')
        .select('subject')
        .where('account', '=', account)
      const neverOffered = eb.and([eb('state', '=', 'missing'), eb.not(eb(subject, 'in', told))])
      return [
        'kind',
        eb.case().when(neverOffered).then('no file').else(ref('state')).end().as('called'),
        fn.countAll<number>().as('files'),
        fn.coalesce(fn.sum<number>('size'), lit(0)).as('bytes'),
      ]
    })
    .where('account', '=', account)
    .groupBy(['kind', 'called'])
  const unknown = db
    .selectFrom('svc.whiteboard_activities as a')
    .select(({ fn, lit, val }) => [
      val<'activity'>('activity').as('kind'),
      val('pending').as('called'),
      fn.countAll<number>().as('files'),
      lit(0).as('bytes'),
    ])
    .where('a.account', '=', account)
    .where('a._deleted_at', 'is', null)
    .where(({ exists, not, selectFrom }) => {
      const file = selectFrom('callsheet.files as f')
        .whereRef('f.account', '=', 'a.account')
        .where('f.kind', '=', 'activity')
        .whereRef('f.parent', '=', 'a.session_id')
        .whereRef('f.item', '=', 'a.id')
      return not(exists(file))
    })
  return await db
    .selectFrom(known.unionAll(unknown).as('counted'))
    .select(({ cast, fn }) => [
      'kind',
      'called as state',
      cast<number>(fn.sum('files'), 'integer').as('files'),
      cast<number>(fn.sum('bytes'), 'float8').as('bytes'),
    ])
    .groupBy(['kind', 'called'])
    .having(({ fn }) => fn.sum('files'), '>', 0)
    .orderBy('kind')
    .orderBy('called')
    .execute()
}
