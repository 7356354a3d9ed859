import { sql } from 'kysely'
import { lockText } from '../advisory-lock.ts'
import type { Transaction } from '../connect.ts'
import { refuseMoved } from '../ledger/moved.ts'

/**
 * Keeps the suppression list unchanged until this transaction ends. A later erasure searches only after it
 * has changed the list, so it finds the rows that this transaction writes.
 */
export async function holdSuppressions(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: LIST_LOCK, shared: true })
  await refuseMoved(tx, account)
}

/** Waits for transactions that hold the list, and blocks new ones until this transaction ends. */
export async function lockSuppressions(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: LIST_LOCK })
  await refuseMoved(tx, account)
}

/** Returns a text that changes when an erasure of the account begins or continues. */
export async function erasuresSoFar(tx: Transaction, account: string): Promise<string> {
  // `xmin`, the transaction that last wrote the row, distinguishes the attempts at one request.
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
 * Returns true if no erasure has begun since `mark`, when the files' data was read: such an erasure may have
 * missed the files. Call this in the transaction that records the files; a later erasure finds them.
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
