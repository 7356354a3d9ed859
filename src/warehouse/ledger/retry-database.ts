import type { Observer } from '../../core/define/observer.ts'
import { LoadError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { DatabaseClient, Transaction, TransactionOptions, Warehouse } from '../connect.ts'
import type { Lease } from './lease.ts'

/** Everything that repeatable database work needs. */
export interface DatabaseDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
}

/**
 * Tries database work up to `MAX_TRIES` times if the database ended it for a passing reason, was briefly
 * unavailable (a restart takes seconds), or the answer to a commit was lost. Whole transactions may be
 * repeated, because merges use keys: rows that were committed compare as equal.
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

/** Runs one transaction, fenced by the run's lease, and repeats it after a passing fault. */
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
  // Two of our transactions wrote the same new row: the repeated one finds the other's row.
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
