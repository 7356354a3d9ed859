import type { Stream } from '../../core/declare/stream.ts'
import { LoadError } from '../../core/errors/errors.ts'
import type { RowCounts } from '../../core/records/row-batch.ts'
import type { Client, Transaction, TransactionOptions } from '../../warehouse/connection/connect.ts'
import { committedBatch, recordBatch } from '../../warehouse/ledgers/batches.ts'
import type { EngineDeps, RunContext } from './run-context.ts'

/**
 * Repeats database work if the database ended it for a passing reason, was away for a moment (a restart
 * takes seconds), or the answer to a commit was lost. That is safe for whole transactions, because merges are
 * keyed: what was committed compares as equal.
 */
export async function retryDatabase<T>(
  { clock, observer }: Pick<EngineDeps, 'clock' | 'observer'>,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const passing = error instanceof LoadError && PASSING.has(error.code)
      if (!passing || tries === MAX_TRIES) throw error
      observer.event('database.retried', { code: error.code, tries })
      await clock.sleep(tries * PAUSE_MS)
    }
  }
}

/** One transaction, fenced by the run's lease, and repeated if that helps. */
export async function inTransaction<T>(
  run: Pick<RunContext, 'warehouse' | 'lease' | 'clock' | 'observer'>,
  work: (tx: Transaction, client: Client) => Promise<T>,
  options?: Pick<TransactionOptions, 'steady'>,
): Promise<T> {
  return await retryDatabase(run, () =>
    run.warehouse.transaction(
      async (tx, client) => {
        await run.lease.check(tx)
        return await work(tx, client)
      },
      { ...options, once: true },
    ),
  )
}

/**
 * One transaction that writes rows and records in the ledger what it wrote. After a lost answer, the next try
 * first looks whether the one before was committed: its rows would compare as unchanged and be counted so.
 * The work is told the batch's number in its run.
 */
export async function batchTransaction(
  run: RunContext,
  stream: Stream,
  work: (tx: Transaction, client: Client, batch: number) => Promise<Map<string, RowCounts>>,
): Promise<Map<string, RowCounts>> {
  const name = { account: run.account, runId: run.runId, batch: run.nextBatch() }
  let tries = 0
  return await inTransaction(run, async (tx, client) => {
    const before = tries++ === 0 ? undefined : await committedBatch(tx, name, stream.name)
    if (before !== undefined) return before
    const counts = await work(tx, client, name.batch)
    await recordBatch(tx, name, counts)
    return counts
  })
}

const PASSING = new Set([
  'deadlock',
  'serialization_failure',
  'lock_timeout',
  // Two of our transactions wrote the same new row: the next try sees the other's.
  'sql_23505',
  'connection_lost',
  'commit_unknown',
  'too_many_connections',
  'pool_exhausted',
  'database_starting',
  'database_unreachable',
])
const MAX_TRIES = 5
const PAUSE_MS = 500
