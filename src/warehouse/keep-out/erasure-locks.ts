import { sql } from 'kysely'
import { lockText } from '../advisory-lock.ts'
import type { Transaction } from '../connect.ts'

/**
 * Keeps the suppression list unchanged until this transaction ends. Any later erasure finds rows written
 * under the current list, because it searches only after changing the list.
 */
export async function holdSuppressions(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: LIST_LOCK, shared: true })
}

/** Waits for transactions that use the list, and blocks new ones until this transaction ends. */
export async function lockSuppressions(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: LIST_LOCK })
}

/** A text that changes when an erasure of the account begins or continues. */
export async function erasuresSoFar(tx: Transaction, account: string): Promise<string> {
  // `xmin`, the transaction that last wrote the row, distinguishes attempts at one request.
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
 * Checks, in the transaction that records files, that no erasure has begun since the mark, when their data
 * was read. Such an erasure may have searched before the files were recorded. A later one finds them.
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
