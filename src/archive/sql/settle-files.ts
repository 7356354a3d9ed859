import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { cleanText } from '../../core/records/map-record.ts'
import { fileSubject } from '../../evidence/sql/evidence-files.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { type FilesAsF, lookUpEach } from './file-rows-sql.ts'
import type { FileOutcome, FileScope, FileState } from './files.ts'
import { incidentSubject, insertIncidents } from './incidents.ts'
import { markWhole } from './lost-files.ts'

/** The result of settling a group of outcomes. */
export interface SettledFiles {
  stored: StoredNow[]
  /** Files that this group gave up because the service no longer has them; each has an incident. */
  writtenOff: Pick<FileOutcome, 'parent' | 'item'>[]
}

/** A file that was stored just now, with the facts for its manifest entry. */
export interface StoredNow {
  subject: string
  size: number
  content: Buffer
}

/**
 * Records the outcomes of pending and of lost files. Returns the newly stored files and those that were given
 * up. `entered`: the same transaction adds manifest entries for the newly stored files. A file that the store
 * lost stays `stored` under its entry, and its new download restores all files with that content.
 */
export async function settleFiles(
  tx: Transaction,
  { account, kind, runId }: FileScope,
  { outcomes, entered }: { outcomes: readonly FileOutcome[]; entered: boolean },
): Promise<SettledFiles> {
  await lookUpEach(tx)
  const fetched = outcomes.flatMap(({ stored }) => (stored === undefined ? [] : [stored.sha256]))
  await markWhole(tx, account, fetched)
  const rows = await tx
    .with('settled', (db) =>
      db
        .updateTable('callsheet.files as f')
        .from(ended(outcomes))
        .set((eb) => outcomeOf(eb, { runId, entered }))
        .where('f.account', '=', account)
        .where('f.kind', '=', kind)
        .whereRef('f.parent', '=', 'e.parent')
        .whereRef('f.item', '=', 'e.item')
        .where(({ eb, or }) => or([eb('f.state', '=', 'pending'), STILL_LOST]))
        .returning(['f.kind', 'f.parent', 'f.item', 'f.sha256', 'f.size', 'f.state', 'f.reason'])
        .returning(['f.lost', IS_OFF.as('off')]),
    )
    .with('told', (db) => {
      const told = db
        .selectFrom('settled')
        .select(({ val }) => [val<'missing'>('missing').as('kind')])
        .select([incidentSubject(kind).as('subject')])
        .select(({ fn, val }) => fn.coalesce('reason', val('')).as('detail'))
        .where('off', '=', true)
      return insertIncidents(db, { account, runId }, told.as('i'))
    })
    .selectFrom('settled as f')
    .select(['f.state', 'f.parent', 'f.item', fileSubject.as('subject')])
    .select(({ ref }) => [
      ref('f.size').$notNull().as('size'),
      ref('f.sha256').$notNull().as('content'),
    ])
    .select(['f.lost', 'f.off'])
    .execute()
  return {
    stored: rows.filter(({ state, lost }) => state === 'stored' && lost === null),
    writtenOff: rows.filter(({ off }) => off),
  }
}

/** The new values of a file's row. */
function outcomeOf(
  eb: ExpressionBuilder<OutcomesAsE, 'f' | 'e'>,
  { runId, entered }: { runId: number; entered: boolean },
) {
  const { coalesce } = eb.fn
  const ifPending = eb.case().when('f.state', '=', 'pending')
  const saidMissing = eb
    .case()
    .when(saidAgain(runId))
    .then<FileState>('missing')
    .else(eb.ref('e.state'))
    .end()
  const ifAbsent = eb.case().when('e.absent', '=', true)
  return {
    state: ifPending.then(saidMissing).else(eb.ref('f.state')).end(),
    lost: ifPending
      .then(null)
      .when(saidMissing, '=', 'missing')
      .then<'wanted' | 'gone'>('gone')
      .else<'wanted' | 'gone'>('wanted')
      .end(),
    reason: eb.ref('e.reason'),
    sha256: coalesce(sql<Buffer | null>`decode(e.sha256, 'hex')`, 'f.sha256'),
    size: coalesce('e.size', 'f.size'),
    tries: eb('f.tries', '+', 1),
    absent_since: ifAbsent
      .then(coalesce('f.absent_since', now))
      .when('e.state', '=', 'pending')
      .then(eb.ref('f.absent_since'))
      .end(),
    absent_run_id: ifAbsent
      .then(coalesce('f.absent_run_id', eb.val(runId)))
      .when('e.state', '=', 'pending')
      .then(eb.ref('f.absent_run_id'))
      .end(),
    state_at: ifPending.then(now).else(eb.ref('f.state_at')).end(),
    run_id: ifPending.then(eb.val(runId)).else(eb.ref('f.run_id')).end(),
    entered: sql<boolean>`case f.state when 'stored' then f.entered
      else e.state = 'stored' and ${entered} end`,
  }
}

interface OutcomesAsE extends FilesAsF {
  e: ReturnType<typeof rowsOf>[number]
}

function rowsOf(outcomes: readonly FileOutcome[]) {
  return outcomes.map(({ parent, item, state, reason, stored, absent }) => ({
    parent,
    item,
    state,
    reason: reason === undefined ? null : cleanText(reason),
    sha256: stored?.sha256 ?? null,
    size: stored?.size ?? null,
    absent: absent === true,
  }))
}

function ended(outcomes: readonly FileOutcome[]) {
  return givenRows('e', rowsOf(outcomes), {
    parent: 'text',
    item: 'text',
    state: 'text',
    reason: 'text',
    sha256: 'text',
    size: 'bigint',
    absent: 'boolean',
  })
}

/** Whether another run, at least an hour ago, got this answer too: a single answer may be a proxy's. */
function saidAgain(runId: number): RawBuilder<boolean> {
  return sql`e.absent and f.absent_run_id <> ${runId}
    and f.absent_since <= callsheet.clock() - interval '1 hour'`
}

/** Whether the store has lost the stored file and this attempt did not fetch it. */
const STILL_LOST: RawBuilder<boolean> = sql`(f.state = 'stored' and f.lost = 'wanted'
  and e.state <> 'stored')`

/** Whether this update gave the file up. In RETURNING, `f` has the new values. */
const IS_OFF: RawBuilder<boolean> = sql`coalesce(f.lost = 'gone', f.state <> e.state)`
