import { BASELINE } from '../../core/records/statement.ts'
import type { SigningKey } from '../../evidence/signing-key.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import type { RowLedger } from '../../warehouse/evidence/ledger-lines.ts'
import { statementAbout } from '../../warehouse/evidence/statements.ts'
import { enterRows } from './enter-rows.ts'

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
