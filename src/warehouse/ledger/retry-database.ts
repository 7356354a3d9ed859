import type { Observer } from '../../core/define/observer.ts'
import { LoadError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { DatabaseClient, Transaction, TransactionOptions, Warehouse } from '../connect.ts'
import type { Lease } from './lease.ts'

/** Dependencies of repeatable database work. */
export interface DatabaseDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
}

/**
 * Repeats database work if the database ended it for a passing reason, was briefly unavailable (a restart
 * takes seconds), or the answer to a commit was lost. That is safe for whole transactions, because merges use
 * keys: committed rows compare as equal.
 */
export async function retryDatabase<T>(
  { clock, observer }: Pick<DatabaseDeps, 'clock' | 'observer'>,
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
  run: DatabaseDeps & { lease: Lease },
  work: (tx: Transaction, client: DatabaseClient) => Promise<T>,
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

const PASSING = new Set([
  'deadlock',
  'serialization_failure',
  'lock_timeout',
  // Two of our transactions wrote the same new row: the next try sees the other one's.
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
