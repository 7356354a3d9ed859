import { sql } from 'kysely'
import { lockText } from '../advisory-lock.ts'
import type { Transaction } from '../connect.ts'

/**
 * Keeps the suppression list unchanged until this transaction ends. What the transaction writes by the
 * present list is found by any later erasure, because that searches only after changing the list.
 */
export async function holdSuppressions(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: LIST_LOCK, shared: true })
}

/** Waits for the transactions that hold the list, and lets no other begin to before this one ends. */
export async function lockSuppressions(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: LIST_LOCK })
}

/** A text that changes when an erasure of the account begins or continues. */
export async function erasuresSoFar(tx: Transaction, account: string): Promise<string> {
  // `xmin`, the transaction that wrote the row last, distinguishes the attempts at a request.
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
 * Checks, in the transaction that records files, that no erasure has begun since the mark, at which their
 * data was read. Such an erasure may have searched before the files were recorded. A later one finds them.
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
