import { BASELINE } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { enterRows } from './enter-rows.ts'
import type { SigningKey } from './log/signing-key.ts'
import type { RowLedger } from './sql/ledger-lines.ts'
import { statementAbout } from './sql/statements.ts'

/**
 * States what a person decided, in the transaction that records it; nothing while the account states nothing
 * yet. `names` end the subjects of the rows.
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
