import { sql } from 'kysely'
import { LoadError } from '../../core/errors/errors.ts'
import { fileSubject, type LedgerFile } from '../archive/evidence-files.ts'
import { arrayText } from '../connection/array-text.ts'
import type { Transaction } from '../connection/connect.ts'

/** Until the transaction ends nobody else writes the manifest, by whatever way, and no head is signed. */
export async function holdTail(tx: Transaction): Promise<void> {
  await asOwner(() => sql`lock table ${HELD} in share row exclusive mode`.execute(tx))
}

/**
 * Takes away the entries from one on, with their salts and warrants. The tables are only added to, so that
 * takes their owner; the caller has seen that no head stands over any of them.
 */
export async function takeTail(tx: Transaction, account: string, from: number): Promise<void> {
  for (const table of GUARDED) await guard(tx, table, 'disable')
  await sql`delete from callsheet.manifest_salts
    where account = ${account} and seq >= ${from}`.execute(tx)
  await sql`delete from callsheet.entry_warrants
    where account = ${account} and last_seq >= ${from}`.execute(tx)
  await sql`delete from callsheet.manifest where account = ${account} and seq >= ${from}`.execute(
    tx,
  )
  for (const table of GUARDED) await guard(tx, table, 'enable')
}

function guard(tx: Transaction, table: string, how: 'enable' | 'disable'): Promise<void> {
  const guarded = sql.id('callsheet', table)
  return asOwner(() => sql`alter table ${guarded} ${HOW[how]} trigger only_added`.execute(tx))
}

async function asOwner(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof LoadError) || error.code !== 'database_permission') throw error
    throw new LoadError('owner_needed', {
      tried: 'Taking entries out of the manifest that nothing of ours explains',
      expected: 'the role that owns the tables',
      came: 'one that may only add to the manifest',
      todo: 'do it with the role that callsheet migrate is run with',
    })
  }
}

/** The files that the ledger calls removed; what it says of their entries may have been written with it. */
export async function filesCalledRemoved(tx: Transaction, account: string): Promise<LedgerFile[]> {
  const { rows } = await sql<LedgerFile>`
    select f.kind, f.parent, f.item, f.state, f.sha256, f.size, f.state_at, ${fileSubject} as subject
    from callsheet.files f where f.account = ${account} and f.state = 'removed'
    order by subject`.execute(tx)
  return rows
}

/** They are stored again as far as the ledger knows: whether their bytes are there a verification tells. */
export async function callStored(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<void> {
  await sql`
    update callsheet.files f set state = 'stored', reason = null, bytes_gone_at = null, entered = false,
      state_at = callsheet.clock()
    where f.account = ${account} and f.state = 'removed'
      and ${fileSubject} in (select * from unnest(${arrayText([...subjects])}::text[]))`.execute(tx)
}

const HELD = sql.join(
  ['manifest', 'manifest_salts', 'entry_warrants', 'heads'].map((name) =>
    sql.id('callsheet', name),
  ),
)
const GUARDED = ['manifest', 'entry_warrants'] as const
const HOW = { enable: sql`enable`, disable: sql`disable` } as const
