import { type Expression, type SqlBool, sql } from 'kysely'
import type { FileSource } from '../../core/define/file-source.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { current } from '../../warehouse/schema/table-sql.ts'
import { hasRow, joinWhole, keyOf, withheldBy } from './file-rows-sql.ts'
import type { FileState } from './files.ts'
import { incidentSubject, insertIncidents } from './incidents.ts'

interface OfSource {
  account: string
  source: FileSource
  runId: number
}

/** How many files were written off: with their deleted parents, or since a parent no longer lists them. */
export interface WrittenOff {
  withParents: number
  singly: number
}

/**
 * Writes off the pending and the lost files of deleted parents and deleted rows, with an incident each. The
 * service would answer the same for each file, so it is not asked.
 */
export async function writeOffDeleted(tx: Transaction, of: OfSource): Promise<WrittenOff> {
  const { source } = of
  await joinWhole(tx)
  const withParents = await writeOff(tx, of, {
    reason: DELETED,
    which: sql`p._deleted_at is not null`,
  })
  const singly = await writeOff(tx, of, {
    reason: UNLISTED,
    which: sql`p._deleted_at is null and not ${withheldBy(source)}
      and ${hasRow(source, sql`r._deleted_at is not null`)}
      and not ${hasRow(source, sql`r._deleted_at is null`)}`,
  })
  return { withParents, singly }
}

interface Off {
  reason: string
  /** A condition on a file `f` and its parent `p`. */
  which: Expression<SqlBool>
}

async function writeOff(
  tx: Transaction,
  { account, source, runId }: OfSource,
  { reason, which }: Off,
): Promise<number> {
  const { off } = await tx
    .with('off', (db) =>
      db
        .updateTable('callsheet.files as f')
        .from(current(source.parent).as('p'))
        .set((eb) => {
          const ifPending = eb.case().when('f.state', '=', 'pending')
          return {
            reason,
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
        .whereRef('p.account', '=', 'f.account')
        .where('f.parent', '=', keyOf(source))
        .where(which)
        .returning(['f.parent', 'f.item']),
    )
    .with('told', (db) => {
      const told = db
        .selectFrom('off')
        .select(({ val }) => val<'missing'>('missing').as('kind'))
        .select(({ val }) => [incidentSubject(source.kind).as('subject'), val(reason).as('detail')])
      return insertIncidents(db, { account, runId }, told.as('i'))
    })
    .selectFrom('off')
    .select(({ fn }) => fn.countAll<number>().as('off'))
    .executeTakeFirstOrThrow()
  return off
}

/**
 * Makes written-off files pending again if the service shows their parent or their row again. Returns how
 * many.
 */
export async function reviveDeleted(tx: Transaction, of: OfSource): Promise<number> {
  const { source } = of
  await joinWhole(tx)
  return (
    (await revive(tx, of, { reason: DELETED, which: sql`p._deleted_at is null` })) +
    (await revive(tx, of, {
      reason: UNLISTED,
      which: hasRow(source, sql`r._deleted_at is null`),
    }))
  )
}

async function revive(
  tx: Transaction,
  { account, source, runId }: OfSource,
  { reason, which }: Off,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('callsheet.files as f')
    .from(current(source.parent).as('p'))
    .set((eb) => {
      const ifMissing = eb.case().when('f.state', '=', 'missing')
      return {
        reason: null,
        absent_since: null,
        absent_run_id: null,
        state: ifMissing.then<FileState>('pending').else(eb.ref('f.state')).end(),
        lost: ifMissing.then(eb.ref('f.lost')).else<'wanted'>('wanted').end(),
        state_at: ifMissing.then(now).else(eb.ref('f.state_at')).end(),
        run_id: ifMissing.then(eb.val(runId)).else(eb.ref('f.run_id')).end(),
      }
    })
    .where('f.account', '=', account)
    .where('f.kind', '=', source.kind)
    .where('f.reason', '=', reason)
    .where(({ and, eb, or }) =>
      or([
        eb('f.state', '=', 'missing'),
        and([eb('f.state', '=', 'stored'), eb('f.lost', '=', 'gone')]),
      ]),
    )
    .whereRef('p.account', '=', 'f.account')
    .where('f.parent', '=', keyOf(source))
    .where(which)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Reasons for writing a file off. Only files with one of these are wanted again if their row comes back. */
export const DELETED = 'a sync found that the service has deleted its session'
export const UNLISTED = 'a sync found that its session does not list it any more'
