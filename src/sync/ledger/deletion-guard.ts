import type { Stream } from '../../core/define/stream.ts'
import { point } from '../../core/kill-point.ts'
import { isStated } from '../../evidence/is-stated.ts'
import { lockManifest } from '../../evidence/sql/manifest.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'

interface Scope {
  account: string
  stream: Stream
}

interface Drop extends Scope {
  runId: number
  missing: number
}

/**
 * Whether a person approved a drop of at least `missing` rows of this stream. If the account keeps evidence,
 * the approval must be stated there, since anybody with write access to the table could set it. An approval
 * serves one run that marks rows, in all its slices, and the runs that resume it.
 */
export async function deletionsApproved(
  warehouse: Warehouse,
  { account, stream, missing, runId, chainRunId }: Drop & { chainRunId: number },
): Promise<boolean> {
  return await warehouse.transaction(async (tx) => {
    const approved = await tx
      .selectFrom('callsheet.deletion_guards')
      .select('run_id')
      .where('account', '=', account)
      .where('stream', '=', stream.name)
      .where('approved_at', 'is not', null)
      .where('missing', '>=', missing)
      .where('run_id', '<', runId)
      .where(({ fn, val }) => fn.coalesce('used_by_run_id', val(runId)), '>=', chainRunId)
      .execute()
    for (const { run_id: of } of approved) {
      const release = { account, ledger: 'releases', name: `${stream.name}/${of}` } as const
      if (await isStated(tx, release)) return true
    }
    return false
  })
}

/**
 * Marks the stream's approvals as used: after rows were marked, or if no row is left to mark. Called last in
 * its transaction, because other groups wait for the approval's row.
 */
export async function spendApproval(
  tx: Transaction,
  { account, stream, runId }: Scope & { runId: number },
): Promise<void> {
  await tx
    .updateTable('callsheet.deletion_guards')
    .set({ used_by_run_id: runId })
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .where('approved_at', 'is not', null)
    .where('used_by_run_id', 'is', null)
    .execute()
}

/**
 * Whether the stream has an unused approval that is no longer needed, now that all of it was read and no row
 * is missing. False if this run, or one that it resumes, held rows back: they were not read again, and the
 * approval still applies to them.
 */
export async function hasIdleApproval(
  warehouse: Warehouse,
  { account, stream, chainRunId }: Scope & { chainRunId: number },
): Promise<boolean> {
  const { older, idle } = await warehouse.db
    .selectFrom('callsheet.deletion_guards')
    .select(({ eb, fn }) => [
      fn<boolean | null>('bool_and', [eb('run_id', '<', chainRunId)]).as('older'),
      fn<boolean | null>('bool_or', [
        eb.and([eb('approved_at', 'is not', null), eb('used_by_run_id', 'is', null)]),
      ]).as('idle'),
    ])
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .executeTakeFirstOrThrow()
  return older === true && idle === true
}

/**
 * Records that the guard tripped. Called last in the group's transaction, since the stream's other groups
 * wait for the guard's row. The drops of a run's groups add up, so each must be recorded once.
 */
export async function tripGuard(
  tx: Transaction,
  { account, stream, runId, missing, owned }: Drop & { owned: number },
): Promise<void> {
  await point('guard:before')
  await tx
    .insertInto('callsheet.deletion_guards')
    .values({ account, stream: stream.name, run_id: runId, missing, owned, at: now })
    .onConflict((conflict) =>
      conflict.columns(['account', 'stream', 'run_id']).doUpdateSet(({ eb, ref }) => ({
        missing: eb('callsheet.deletion_guards.missing', '+', ref('excluded.missing')),
        owned: eb('callsheet.deletion_guards.owned', '+', ref('excluded.owned')),
      })),
    )
    .execute()
  await point('guard:after')
}

/** The unapproved drops held back by the runs that this run resumes: it does not read their slices again. */
export async function trippedInChain(
  warehouse: Warehouse,
  { account, runId, chainRunId }: { account: string; runId: number; chainRunId: number },
): Promise<{ stream: string; missing: number; owned: number }[]> {
  return await warehouse.db
    .selectFrom('callsheet.deletion_guards')
    .select(['stream', 'missing', 'owned'])
    .where('account', '=', account)
    .where('run_id', '>=', chainRunId)
    .where('run_id', '<', runId)
    .where('approved_at', 'is', null)
    .execute()
}

interface Approval {
  account: string
  runId: number
  /** Called with the streams, in the transaction that approves. */
  onDecided?: ((tx: Transaction, streams: readonly string[]) => Promise<void>) | undefined
}

/** Returns the accounts in which a run with this ID held back deletions that nobody has approved. */
export async function accountsHolding(
  { db }: Pick<Warehouse, 'db'>,
  runId: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('callsheet.deletion_guards')
    .select('account')
    .distinct()
    .where('run_id', '=', runId)
    .where('approved_at', 'is', null)
    .orderBy('account')
    .execute()
  return rows.map(({ account }) => account)
}

/**
 * Approves the deletions that the run held back. Returns the streams whose rows will be marked by their next
 * complete read.
 */
export async function approveDeletions(
  warehouse: Warehouse,
  { account, runId, onDecided }: Approval,
): Promise<string[]> {
  return await warehouse.transaction(async (tx) => {
    // Locked before the rows: a concurrent run takes the two locks in this order.
    await lockManifest(tx, account)
    const rows = await tx
      .updateTable('callsheet.deletion_guards')
      .set({ approved_at: now })
      .where('account', '=', account)
      .where('run_id', '=', runId)
      .where('approved_at', 'is', null)
      .returning('stream')
      .execute()
    const streams = rows.map((row) => row.stream)
    if (streams.length > 0) await onDecided?.(tx, streams)
    return streams
  })
}
