import { sql } from 'kysely'
import type { RowCounts } from '../../core/records/row-batch.ts'
import type { Transaction } from '../connect.ts'
import { now } from '../schema/expressions.ts'

export interface BatchName {
  account: string
  runId: number
  /** The batch's number in the run, the same for each attempt. */
  batch: number
}

/**
 * Records a batch's row counts in the batch's own transaction, so that their sums match the tables. Returns
 * the transaction's ID; undefined if it recorded nothing.
 */
export async function recordBatch(
  tx: Transaction,
  { account, runId, batch }: BatchName,
  counts: ReadonlyMap<string, RowCounts>,
): Promise<string | undefined> {
  if (counts.size === 0) return undefined
  const entries = [...counts].map(([stream, { left, ...others }]) => ({
    account,
    run_id: runId,
    batch,
    stream,
    ...others,
    left_part: left,
    at: now,
  }))
  const recorded = await tx
    .insertInto('callsheet.batches')
    .values(entries)
    .onConflict((conflict) =>
      conflict.columns(['account', 'run_id', 'batch', 'stream']).doUpdateSet(({ ref }) => ({
        inserted: ref('excluded.inserted'),
        updated: ref('excluded.updated'),
        unchanged: ref('excluded.unchanged'),
        deleted: ref('excluded.deleted'),
        left_part: ref('excluded.left_part'),
      })),
    )
    .returning(sql<string>`pg_current_xact_id()::text`.as('transaction'))
    .executeTakeFirst()
  return recorded?.transaction
}

/**
 * For a repeated attempt: returns the batch's row counts if an earlier attempt was committed and only its
 * answer was lost. It first claims the batch, which waits for an attempt that the server may still be
 * committing. Anybody who can write the ledger could add a row, so the rows count only if a transaction of
 * these attempts (`tried`) was committed.
 */
export async function committedBatch(
  tx: Transaction,
  { account, runId, batch }: BatchName,
  { stream, tried }: { stream: string; tried: readonly string[] },
): Promise<Map<string, RowCounts> | undefined> {
  const none = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, left_part: 0 }
  const claimed = await tx
    .insertInto('callsheet.batches')
    .values({ account, run_id: runId, batch, stream, ...none, at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('batch')
    .executeTakeFirst()
  if (claimed !== undefined) return undefined
  const rows = await tx
    .selectFrom('callsheet.batches')
    .select(['stream', 'inserted', 'updated', 'unchanged', 'deleted', 'left_part as left'])
    .where('account', '=', account)
    .where('run_id', '=', runId)
    .where('batch', '=', batch)
    .where(
      sql<boolean>`exists (select from unnest(${[...tried]}::text[]) t where case
        when t::xid8 < pg_current_xact_id() then pg_xact_status(t::xid8) = 'committed' end)`,
    )
    .execute()
  if (rows.length === 0) return undefined
  return new Map(rows.map(({ stream: name, ...counts }) => [name, counts]))
}
