import type { Transaction } from './connect.ts'

/**
 * Takes an advisory lock on a text until the transaction ends. Several transactions may hold a `shared` lock.
 * `space` is a number that is different for each kind of lock.
 */
export async function lockText(
  tx: Transaction,
  text: string,
  { space, shared = false }: { space: number; shared?: boolean },
): Promise<void> {
  const lock = shared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await tx
    .selectNoFrom(({ fn, val }) =>
      fn(lock, [fn('hashtextextended', [val(text), val(space)])]).as('locked'),
    )
    .execute()
}
