import { sql } from 'kysely'
import { lockText } from '../connection/advisory-lock.ts'
import type { Transaction } from '../connection/connect.ts'

/**
 * Until this transaction ends nobody is put on the list of who was erased: what it writes by the list of
 * now an erasure finds, which looks only after that.
 */
export async function holdSuppressions(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: LIST_LOCK, shared: true })
}

/** Waits for those that hold the list, and lets none begin before this transaction has ended. */
export async function lockSuppressions(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: LIST_LOCK })
}

/** How far the erasures of an account are: another text once one has begun, or gone on. */
export async function erasuresSoFar(tx: Transaction, account: string): Promise<string> {
  // What tells one try of a request from the next is which transaction wrote its row last.
  const last = sql`id || ' ' || xmin`
  const { mark } = await tx
    .selectFrom('callsheet.erasure_requests')
    .select(({ fn, val }) =>
      fn
        .agg<string | null>('string_agg', [last, val(',')])
        .orderBy('id')
        .as('mark'),
    )
    .where('account', '=', account)
    .where('state', '<>', 'waiting')
    .executeTakeFirstOrThrow()
  return mark ?? ''
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

const LIST_LOCK = 2_026_000_025
