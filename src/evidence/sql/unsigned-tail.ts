import { sql } from 'kysely'
import { LoadError } from '../../core/errors.ts'
import { arrayText } from '../../warehouse/array-text.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { fileSubject, type LedgerFile } from './evidence-files.ts'

// Uses raw SQL to lock and alter tables, because the query builder lacks these statements.

/** Locks out all other writers of the manifest and of checkpoints until the transaction ends. */
export async function holdTail(tx: Transaction): Promise<void> {
  await asOwner(() => sql`lock table ${HELD} in share row exclusive mode`.execute(tx))
}

/**
 * Deletes the entries from `from` on, which only the tables' owner may do. The caller must have checked that
 * no checkpoint covers any of them.
 */
export async function takeTail(tx: Transaction, account: string, from: number): Promise<void> {
  await guard(tx, 'disable')
  await tx
    .deleteFrom('callsheet.manifest')
    .where('account', '=', account)
    .where('seq', '>=', from)
    .execute()
  await guard(tx, 'enable')
}

function guard(tx: Transaction, how: 'enable' | 'disable'): Promise<void> {
  return asOwner(() =>
    sql`alter table callsheet.manifest ${HOW[how]} trigger only_added`.execute(tx),
  )
}

async function asOwner(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof LoadError) || error.code !== 'database_permission') throw error
    throw new LoadError('owner_needed', {
      tried: 'Removing unexplained entries from the manifest',
      came: 'this database role can only add entries',
      todo: 'run the command as the role that owns the tables, the one that runs callsheet migrate',
    })
  }
}

/** The files that the ledger records as removed. Ignores their flag `entered`, which may be forged. */
export async function filesCalledRemoved(tx: Transaction, account: string): Promise<LedgerFile[]> {
  return await tx
    .selectFrom('callsheet.files as f')
    .select(['f.kind', 'f.parent', 'f.item', 'f.state', 'f.state_at', fileSubject.as('subject')])
    .select(({ ref }) => [
      ref('f.sha256').$notNull().as('sha256'),
      ref('f.size').$notNull().as('size'),
    ])
    .where('f.account', '=', account)
    .where('f.state', '=', 'removed')
    .orderBy('subject')
    .$narrowType<{ state: 'removed' }>()
    .execute()
}

/** Records the files as stored again. A verification checks whether their bytes exist. */
export async function callStored(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<void> {
  const named = sql<string>`(select * from unnest(${arrayText([...subjects])}::text[]))`
  await tx
    .updateTable('callsheet.files as f')
    .set({ state: 'stored', reason: null, bytes_gone_at: null, entered: false, state_at: now })
    .where('f.account', '=', account)
    .where('f.state', '=', 'removed')
    .where(fileSubject, 'in', named)
    .execute()
}

const HELD = sql.join(['manifest', 'checkpoints'].map((name) => sql.id('callsheet', name)))
const HOW = { enable: sql`enable`, disable: sql`disable` } as const
