import { BASELINE } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { enterRows } from './enter-rows.ts'
import type { SigningKey } from './log/signing-key.ts'
import type { RowLedger } from './sql/ledger-lines.ts'
import { statementAbout } from './sql/statements.ts'

/**
 * States a person's decision in the transaction that records it, unless the account states nothing yet.
 * `names` are the last parts of the rows' subjects.
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
