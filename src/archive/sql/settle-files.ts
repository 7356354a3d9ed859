import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { cleanText } from '../../core/records/map-record.ts'
import { fileSubject } from '../../evidence/sql/evidence-files.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { FilesAsF } from './file-rows-sql.ts'
import type { FileOutcome, FileScope, FileState } from './files.ts'
import { incidentSubject, insertIncidents } from './incidents.ts'
import { lookUpEach } from './planner.ts'

/** The result of settling a group of outcomes. */
export interface SettledFiles {
  stored: StoredNow[]
  /** Files that were absent for the second time. They are `missing` now, with an incident. */
  writtenOff: Pick<FileOutcome, 'parent' | 'item'>[]
}

/** A file that was stored just now, with the facts for its manifest entry. */
export interface StoredNow {
  subject: string
  size: number
  content: Buffer
}

/**
 * Records the outcomes of files that are still pending, and the incidents that are due. Returns the files
 * that are stored now and those that are written off. `entered`: the same transaction adds the manifest's
 * entries of the stored ones.
 */
export async function settleFiles(
  tx: Transaction,
  { account, kind, runId }: FileScope,
  { outcomes, entered }: { outcomes: readonly FileOutcome[]; entered: boolean },
): Promise<SettledFiles> {
  await lookUpEach(tx)
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
        .where('f.state', '=', 'pending')
        .returning(['f.kind', 'f.parent', 'f.item', 'f.sha256', 'f.size', 'f.state', 'f.reason'])
        .returning(({ eb, or, ref }) =>
          or([eb('e.incident', '=', true), eb('f.state', '<>', ref('e.state'))]).as('incident'),
        ),
    )
    .with('told', (db) => {
      const told = db
        .selectFrom('settled')
        .select([INCIDENT.as('kind'), incidentSubject(kind).as('subject')])
        .select(({ fn, val }) => fn.coalesce('reason', val('')).as('detail'))
        .where('incident', '=', true)
      return insertIncidents(db, { account, runId }, told.as('i'))
    })
    .selectFrom('settled as f')
    .select(['f.state', 'f.parent', 'f.item', fileSubject.as('subject')])
    .select(({ ref }) => [
      ref('f.size').$notNull().as('size'),
      ref('f.sha256').$notNull().as('content'),
    ])
    .where(({ and, eb, or }) =>
      or([
        eb('f.state', '=', 'stored'),
        and([eb('f.state', '=', 'missing'), eb('f.incident', '=', true)]),
      ]),
    )
    .execute()
  return {
    stored: rows.filter(({ state }) => state === 'stored'),
    writtenOff: rows.filter(({ state }) => state === 'missing'),
  }
}

/** The new values of a file's row. */
function outcomeOf(
  eb: ExpressionBuilder<OutcomesAsE, 'f' | 'e'>,
  { runId, entered }: { runId: number; entered: boolean },
) {
  return {
    state: eb
      .case()
      .when(saidAgain(runId))
      .then<FileState>('missing')
      .else(eb.ref('e.state'))
      .end(),
    reason: eb.ref('e.reason'),
    sha256: sql<Buffer | null>`decode(e.sha256, 'hex')`,
    size: eb.ref('e.size'),
    tries: eb('f.tries', '+', 1),
    absent_since: eb
      .case()
      .when('e.absent', '=', true)
      .then(eb.fn.coalesce('f.absent_since', now))
      .when('e.state', '=', 'pending')
      .then(eb.ref('f.absent_since'))
      .end(),
    absent_run_id: eb
      .case()
      .when('e.absent', '=', true)
      .then(eb.fn.coalesce('f.absent_run_id', eb.val(runId)))
      .when('e.state', '=', 'pending')
      .then(eb.ref('f.absent_run_id'))
      .end(),
    state_at: now,
    run_id: runId,
    entered: sql<boolean>`e.state = 'stored' and ${entered}`,
  }
}

interface OutcomesAsE extends FilesAsF {
  e: ReturnType<typeof rowsOf>[number]
}

function rowsOf(outcomes: readonly FileOutcome[]) {
  return outcomes.map(({ parent, item, state, reason, stored, incident, absent }) => ({
    parent,
    item,
    state,
    reason: reason === undefined ? null : cleanText(reason),
    sha256: stored?.sha256 ?? null,
    size: stored?.size ?? null,
    incident: incident === true,
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
    incident: 'boolean',
    absent: 'boolean',
  })
}

/** One such answer may be a proxy's. The second must come from another run, at least an hour later. */
export function saidAgain(runId: number): RawBuilder<boolean> {
  return sql`e.absent and f.absent_run_id <> ${runId}
    and f.absent_since <= callsheet.clock() - interval '1 hour'`
}

/** The kind of incident for a settled file. */
const INCIDENT: RawBuilder<'expired_before_download' | 'missing'> = sql`case state
  when 'expired' then 'expired_before_download' else state end`
