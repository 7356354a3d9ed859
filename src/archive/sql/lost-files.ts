import { type RawBuilder, sql } from 'kysely'
import { cleanText } from '../../core/records/map-record.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { decoded, digestOf, hasTime } from './file-rows-sql.ts'
import type { FileOutcome, FileScope } from './files.ts'
import { incidentSubject, insertIncidents } from './incidents.ts'
import { saidAgain } from './settle-files.ts'

/** A content that the store should hold; the digest is in hex. */
export interface StoredContent {
  sha256: string
  size: number
}

type Scope = Omit<FileScope, 'runId'>

/** Whether the store has lost the stored file `f`, and the service may still have it. */
export const wantedAgain: RawBuilder<boolean> = sql`(f.state = 'stored' and f.lost = 'wanted'
  and ${hasTime})`

/**
 * Contents of stored files that could be fetched again, earliest expiry first, at most `most`. `lost` selects
 * those that are known to be lost, or the others.
 */
export async function contentsToBeHad(
  tx: Transaction,
  { account, kind }: Scope,
  { lost, most }: { lost: boolean; most: number },
): Promise<StoredContent[]> {
  return await tx
    .selectFrom('callsheet.files as f')
    .select(({ cast, fn }) => [
      digestOf.as('sha256'),
      cast<number>(fn.min('f.size'), 'float8').as('size'),
    ])
    .where('f.account', '=', account)
    .where('f.kind', '=', kind)
    .where('f.state', '=', 'stored')
    .where('f.lost', lost ? '=' : 'is', lost ? 'wanted' : null)
    .where(hasTime)
    .groupBy('f.sha256')
    .orderBy(
      ({ fn }) => fn.min('f.expires_at'),
      (order) => order.asc().nullsLast(),
    )
    .limit(most)
    .execute()
}

/** Marks the files of these contents as lost, so that they are fetched again. */
export async function noteLost(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return
  await tx
    .updateTable('callsheet.files')
    .set({ lost: 'wanted' })
    .where('account', '=', account)
    .where('state', '=', 'stored')
    .where('lost', 'is', null)
    .where('sha256', 'in', decoded(digests))
    .execute()
}

/** Marks all files of these contents as present in the store. */
export async function noteWhole(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return
  await tx
    .updateTable('callsheet.files')
    .set({ lost: null, reason: null, absent_since: null, absent_run_id: null })
    .where('account', '=', account)
    .where('lost', 'is not', null)
    .where('sha256', 'in', decoded(digests))
    .execute()
}

/**
 * Records the results for lost files. A fetched content restores all files that have it; the others stay
 * wanted, with a reason. Returns the files that the service no longer has, with an incident each; their
 * entries in the manifest stay.
 */
export async function settleLost(
  tx: Transaction,
  { account, kind, runId }: FileScope,
  outcomes: readonly FileOutcome[],
): Promise<Pick<FileOutcome, 'parent' | 'item'>[]> {
  await noteWhole(
    tx,
    account,
    outcomes.flatMap(({ stored }) => (stored === undefined ? [] : [stored.sha256])),
  )
  const failed = outcomes.filter(({ state }) => state !== 'stored')
  if (failed.length === 0) return []
  return await tx
    .with('settled', (db) =>
      db
        .updateTable('callsheet.files as f')
        .from(ended(failed))
        .set((eb) => {
          const gone = eb.or([eb('e.missing', '=', true), saidAgain(runId)])
          const ifAbsent = eb.case().when('e.absent', '=', true)
          const { ref, val } = eb
          const { coalesce } = eb.fn
          return {
            tries: eb('f.tries', '+', 1),
            reason: ref('e.reason'),
            lost: eb.case().when(gone).then<Lost>('gone').else<Lost>('wanted').end(),
            absent_since: ifAbsent
              .then(coalesce('f.absent_since', now))
              .else(ref('f.absent_since'))
              .end(),
            absent_run_id: ifAbsent
              .then(coalesce('f.absent_run_id', val(runId)))
              .else(ref('f.absent_run_id'))
              .end(),
          }
        })
        .where('f.account', '=', account)
        .where('f.kind', '=', kind)
        .whereRef('f.parent', '=', 'e.parent')
        .whereRef('f.item', '=', 'e.item')
        .where('f.state', '=', 'stored')
        .where('f.lost', '=', 'wanted')
        .returning(['f.parent', 'f.item', 'f.lost', 'e.reason']),
    )
    .with('told', (db) => {
      const told = db
        .selectFrom('settled')
        .select(({ val }) => val<'missing'>('missing').as('kind'))
        .select([incidentSubject(kind).as('subject'), 'reason as detail'])
        .where('lost', '=', 'gone')
      return insertIncidents(db, { account, runId }, told.as('i'))
    })
    .selectFrom('settled')
    .select(['parent', 'item'])
    .where('lost', '=', 'gone')
    .execute()
}

type Lost = 'wanted' | 'gone'

function ended(outcomes: readonly FileOutcome[]) {
  const rows = outcomes.map(({ parent, item, state, reason = '', absent }) => ({
    parent,
    item,
    reason: cleanText(reason),
    absent: absent === true,
    missing: state === 'missing',
  }))
  return givenRows('e', rows, {
    parent: 'text',
    item: 'text',
    reason: 'text',
    absent: 'boolean',
    missing: 'boolean',
  })
}
