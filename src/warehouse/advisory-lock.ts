import type { Transaction } from './connect.ts'

/**
 * Takes an advisory lock on a text until the transaction ends. `shared`: others may share it. `space` is a
 * number that differs for each kind of lock.
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
