import { BASELINE } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { contentOf } from './match-versions.ts'
import { signedEntries } from './signed-entries.ts'
import { type RowLedger, statedRows } from './sql/ledger-lines.ts'
import { entriesOf } from './sql/manifest.ts'
import { statementAbout } from './sql/statements.ts'
import { standing } from './standing-statement.ts'
import { rowFact } from './statement-facts.ts'

/** Returns true if a signed statement covers a ledger row as it is now, or if the account has no baseline. */
export async function isStated(
  tx: Transaction,
  { account, ledger, name }: { account: string; ledger: RowLedger; name: string },
): Promise<boolean> {
  if ((await statementAbout(tx, account, BASELINE)) === undefined) return true
  const subjects = [`ledger/${ledger}/${name}`]
  const said = await entriesOf(tx, account, { subjects, kinds: ['statement', 'erasure'] })
  const { statement } = standing(said)
  if (statement === undefined) return false
  for await (const row of statedRows(tx, { account, ledger, subjects }))
    if (contentOf(statement, rowFact(row).content))
      return await (await signedEntries(tx, account))(statement)
  return false
}
