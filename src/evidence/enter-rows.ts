import { sql } from 'kysely'
import { BASELINE } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import { type DatabaseDeps, inTransaction } from '../warehouse/ledger/retry-database.ts'
import type { OnClosed } from '../warehouse/ledger/runs.ts'
import { addVouched, type Voucher } from './add-entries.ts'
import type { StatingDeps } from './log/evidence-access.ts'
import type { SigningKey } from './log/signing-key.ts'
import { signsEvidence } from './signs-evidence.ts'
import { insertAuditSettings } from './sql/insert-audit-settings.ts'
import { type RowLedger, type RowsWanted, statedRows } from './sql/ledger-lines.ts'
import { statementAbout } from './sql/statements.ts'
import { rowFact } from './statement-facts.ts'

/**
 * States rows of a ledger as they are now, signed with the key, in the transaction that wrote or changed
 * them.
 */
export async function enterRows(
  tx: Transaction,
  { account, key, basis }: Voucher & { account: string },
  wanted: Omit<RowsWanted, 'account'>,
): Promise<void> {
  const facts = []
  for await (const row of statedRows(tx, { account, ...wanted })) facts.push(rowFact(row))
  await addVouched(tx, { account, key, basis }, facts)
}

/** Returns a hook that states runs when they are closed; undefined without access to a key. */
export function statesRuns(deps: StatingDeps, account: string): OnClosed | undefined {
  if (deps.evidence === undefined) return undefined
  return async (tx, ids) => {
    const signing = await signsEvidence(tx, { ...deps, account })
    if (signing === undefined) return
    const subjects = ids.map((id) => `ledger/runs/${id}`)
    await enterRows(tx, { account, key: signing.key, basis: 'run' }, { ledger: 'runs', subjects })
  }
}

/**
 * Adds a signed statement of a person's decision in the transaction that records it. Does nothing before the
 * account's baseline. `names` are the last parts of the rows' subjects, `ledger/LEDGER/NAME`.
 */
export async function stateDecision(
  tx: Transaction,
  { account, key, ledger }: { account: string; key: () => SigningKey; ledger: RowLedger },
  names: readonly (string | number)[],
): Promise<void> {
  if ((await statementAbout(tx, account, BASELINE)) === undefined) return
  const subjects = names.map((name) => `ledger/${ledger}/${name}`)
  await enterRows(tx, { account, key: key(), basis: 'decision' }, { ledger, subjects })
}

/**
 * Records and states the audit settings if they changed and the account signs evidence. Called before a run
 * reads anything with them.
 */
export async function stateSettings(
  deps: DatabaseDeps & StatingDeps,
  { account, lease }: { account: string; lease: Lease },
): Promise<void> {
  await inTransaction({ ...deps, lease }, async (tx) => {
    const signing = await signsEvidence(tx, { ...deps, account })
    if (signing?.audits === undefined) return
    const id = await insertAuditSettings(tx, account, signing.audits)
    if (id === undefined) return
    const vouching = { account, key: signing.key, basis: 'settings' }
    await enterRows(tx, vouching, { ledger: 'settings', subjects: [`ledger/settings/${id}`] })
  })
}

/**
 * States the rows that this transaction wrote and removed, so call it after the last write. The database also
 * lists changes by other programs, but nobody states those.
 */
export async function stateWritten(
  tx: Transaction,
  deps: StatingDeps & { account: string },
): Promise<void> {
  const batch = await writtenBatch(tx, deps.account)
  if (batch === undefined) return
  const signing = await signsEvidence(tx, deps)
  if (signing === undefined) return
  const vouching = { account: deps.account, key: signing.key, basis: 'rows' }
  await enterRows(tx, vouching, { ledger: 'rows', subjects: [`ledger/rows/${batch}`] })
}

/** The number under which the database recorded this transaction's changes; undefined if there are none. */
export async function writtenBatch(tx: Transaction, account: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('callsheet.written')
    .select('batch')
    .where('account', '=', account)
    .where('batch', '=', sql<string>`callsheet.row_batch()`)
    .limit(1)
    .executeTakeFirst()
  return row?.batch
}
