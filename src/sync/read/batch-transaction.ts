import type { Stream } from '../../core/define/stream.ts'
import type { RowCounts } from '../../core/records/row-batch.ts'
import { stateWritten } from '../../evidence/enter-rows.ts'
import type { DatabaseClient, Transaction } from '../../warehouse/connect.ts'
import { committedBatch, recordBatch } from '../../warehouse/ledger/batches.ts'
import { inTransaction } from '../../warehouse/ledger/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'

/**
 * Runs `work` in a transaction and records its counts in `callsheet.batches`. After a lost response, the
 * retry first checks whether the commit succeeded, because committed rows would count as unchanged. The work
 * receives the batch's number in its run.
 */
export async function batchTransaction(
  run: RunContext,
  stream: Stream,
  work: (tx: Transaction, client: DatabaseClient, batch: number) => Promise<Map<string, RowCounts>>,
): Promise<Map<string, RowCounts>> {
  const name = { account: run.account, runId: run.runId, batch: run.nextBatch() }
  let tries = 0
  const tried: string[] = []
  return await inTransaction(run, async (tx, client) => {
    const earlier = { stream: stream.name, tried }
    const before = tries++ === 0 ? undefined : await committedBatch(tx, name, earlier)
    if (before !== undefined) return before
    const counts = await work(tx, client, name.batch)
    const transaction = await recordBatch(tx, name, counts)
    if (transaction !== undefined) tried.push(transaction)
    await stateWritten(tx, run)
    return counts
  })
}
