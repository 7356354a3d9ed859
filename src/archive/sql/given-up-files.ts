import { type Expression, type SqlBool, sql } from 'kysely'
import type { FileSource } from '../../core/define/file-source.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { deletedParent, hasRow, hasTime, joinWhole, withheldParent } from './file-rows-sql.ts'
import type { FileState } from './files.ts'
import { incidentSubject, insertIncidents } from './incidents.ts'

interface OfSource {
  account: string
  source: FileSource
  runId: number
}

/**
 * Writes off the pending and the lost files of deleted parents and of deleted rows, with an incident each.
 * The service would answer the same for each file, so it is not asked. Returns their number.
 */
export async function writeOffDeleted(tx: Transaction, of: OfSource): Promise<number> {
  const { account, source } = of
  await joinWhole(tx)
  const withParents = await writeOff(tx, of, deletedParent(source, account, sql.ref('f.parent')))
  const singly = await writeOff(
    tx,
    of,
    sql`not ${withheldParent(source, account, sql.ref('f.parent'))}
      and ${hasRow(source, sql`r._deleted_at is not null`)}
      and not ${hasRow(source, sql`r._deleted_at is null`)}`,
  )
  return withParents + singly
}

async function writeOff(
  tx: Transaction,
  { account, source, runId }: OfSource,
  which: Expression<SqlBool>,
): Promise<number> {
  const { off } = await tx
    .with('off', (db) =>
      db
        .updateTable('callsheet.files as f')
        .set((eb) => {
          const ifPending = eb.case().when('f.state', '=', 'pending')
          return {
            reason: DELETED,
            state: ifPending.then<FileState>('missing').else(eb.ref('f.state')).end(),
            lost: ifPending.then(eb.ref('f.lost')).else<'gone'>('gone').end(),
            state_at: ifPending.then(now).else(eb.ref('f.state_at')).end(),
            run_id: ifPending.then(eb.val(runId)).else(eb.ref('f.run_id')).end(),
          }
        })
        .where('f.account', '=', account)
        .where('f.kind', '=', source.kind)
        .where(({ and, eb, or }) =>
          or([
            eb('f.state', '=', 'pending'),
            and([eb('f.state', '=', 'stored'), eb('f.lost', '=', 'wanted')]),
          ]),
        )
        .where(which)
        .returning(['f.parent', 'f.item']),
    )
    .with('told', (db) => {
      const told = db
        .selectFrom('off')
        .select(({ val }) => val<'missing'>('missing').as('kind'))
        .select(({ val }) => [
          incidentSubject(source.kind).as('subject'),
          val(DELETED).as('detail'),
        ])
      return insertIncidents(db, { account, runId }, told.as('i'))
    })
    .selectFrom('off')
    .select(({ fn }) => fn.countAll<number>().as('off'))
    .executeTakeFirstOrThrow()
  return off
}

/**
 * Makes given-up files pending again, or wanted again if the store lost them. `all`: every file that has not
 * expired. Otherwise: files that have time after all, because the service moved the expiry or a clock was
 * fast, and files whose session and row the service shows again. The incidents stay. Returns their number.
 */
export async function reviveFiles(
  tx: Transaction,
  { account, source, runId }: OfSource,
  { all }: { all: boolean },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('callsheet.files as f')
    .set((eb) => {
      const ifStored = eb.case().when('f.state', '=', 'stored')
      return {
        reason: null,
        absent_since: null,
        absent_run_id: null,
        state: ifStored.then(eb.ref('f.state')).else<FileState>('pending').end(),
        lost: ifStored.then<'wanted'>('wanted').else(eb.ref('f.lost')).end(),
        state_at: ifStored.then(eb.ref('f.state_at')).else(now).end(),
        run_id: ifStored.then(eb.ref('f.run_id')).else(eb.val(runId)).end(),
      }
    })
    .where('f.account', '=', account)
    .where('f.kind', '=', source.kind)
    .where(({ and, eb, or }) =>
      or([
        and([eb('f.state', 'in', ['missing', 'expired']), hasTime]),
        and([eb('f.state', '=', 'stored'), eb('f.lost', '=', 'gone')]),
      ]),
    )
    .$if(!all, (query) =>
      query.where(({ and, eb, not, or, ref }) =>
        or([
          eb('f.state', '=', 'expired'),
          and([
            eb('f.reason', '=', DELETED),
            not(deletedParent(source, account, ref('f.parent'))),
            hasRow(source, sql`r._deleted_at is null`),
          ]),
        ]),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** The reason for writing a file off. Files with this reason are revived when their row reappears. */
export const DELETED =
  'a sync found that the service has deleted its session, or does not list it any more'
