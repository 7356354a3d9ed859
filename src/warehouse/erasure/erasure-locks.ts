import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

/**
 * Until this transaction ends nobody is put on the list of who was erased: what it writes by the list of
 * now an erasure finds, which looks only after that.
 */
export async function holdSuppressions(tx: Transaction, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${listOf(account)})`.execute(tx)
}

/** Waits for those that hold the list, and lets none begin before this transaction has ended. */
export async function lockSuppressions(tx: Transaction, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${listOf(account)})`.execute(tx)
}

/** How far the erasures of an account are: another text once one has begun, or gone on. */
export async function erasuresSoFar(tx: Transaction, account: string): Promise<string> {
  // What tells one try of a request from the next is which transaction wrote its row last.
  const { rows } = await sql<{ mark: string | null }>`
    select string_agg(id || ' ' || xmin, ',' order by id) as mark from callsheet.erasure_requests
    where account = ${account} and state <> 'waiting'`.execute(tx)
  return rows[0]?.mark ?? ''
}

/**
 * In the transaction that enters files made of the data as it was at a mark: false where an erasure has begun
 * since, which may have searched the files before. One that begins later finds them entered.
 */
export async function noneErasedSince(
  tx: Transaction,
  account: string,
  mark: string,
): Promise<boolean> {
  await holdSuppressions(tx, account)
  return (await erasuresSoFar(tx, account)) === mark
}

function listOf(account: string): RawBuilder<unknown> {
  return sql`hashtextextended(${account}, ${LIST_LOCK})`
}

const LIST_LOCK = 2_026_000_025
