import type { Transaction } from './connect.ts'

/**
 * Until the transaction ends nobody else has the lock of this text. `space` is a number that no other kind of
 * lock has.
 */
export async function lockText(tx: Transaction, text: string, space: number): Promise<void> {
  await tx
    .selectNoFrom(({ fn, val }) =>
      fn('pg_advisory_xact_lock', [fn('hashtextextended', [val(text), val(space)])]).as('locked'),
    )
    .execute()
}
