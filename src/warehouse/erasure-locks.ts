import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from './connect.ts'

/**
 * Until this transaction ends nobody is put on the list of who was erased: what it writes by the list of now an
 * erasure finds, which looks only after that.
 */
export async function holdSuppressions(tx: Transaction, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${named('suppressions', account)})`.execute(tx)
}

/** Waits for those that hold the list, and lets none begin before this transaction has ended. */
export async function lockSuppressions(tx: Transaction, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${named('suppressions', account)})`.execute(tx)
}

/** For as long as a transaction reads one state of the data, of which it makes files. */
export async function markReading(tx: Transaction, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${named('reading', account)})`.execute(tx)
}

/** Waits until every state of the data of before has been read to its end, as long as a statement may take. */
export async function awaitReadings(tx: Transaction, account: string): Promise<void> {
  await sql`select set_config('lock_timeout', '0', true)`.execute(tx)
  await sql`select pg_advisory_xact_lock(${named('reading', account)})`.execute(tx)
}

function named(what: string, account: string): RawBuilder<unknown> {
  return sql`hashtextextended(${`${what} ${account}`}, 0)`
}
