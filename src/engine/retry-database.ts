import { LoadError } from '../core/errors.ts'
import type { Client, Transaction } from '../warehouse/connect.ts'
import type { EngineDeps, RunContext } from './run-context.ts'

/**
 * Does database work again when the database ended it for a reason that passes, or when the answer to a
 * commit was lost. That is safe for whole transactions, because merges are keyed: what was committed
 * compares as equal.
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

/** One transaction, fenced by the run's lease, and done again where that helps. */
export async function inTransaction<T>(
  run: RunContext,
  work: (tx: Transaction, client: Client) => Promise<T>,
): Promise<T> {
  return await retryDatabase(run, () =>
    run.warehouse.transaction(async (tx, client) => {
      await run.lease.check(tx)
      return await work(tx, client)
    }),
  )
}

const PASSING = new Set([
  'deadlock',
  'serialization_failure',
  'lock_timeout',
  'connection_lost',
  'commit_unknown',
  'too_many_connections',
])
const MAX_TRIES = 5
const PAUSE_MS = 500
