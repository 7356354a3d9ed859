import { BASELINE } from '../core/records/statement.ts'
import { addVouched, type EntryFact } from '../evidence/add-entries.ts'
import type { SigningKey } from '../evidence/log/signing-key.ts'
import { statedRows } from '../evidence/sql/ledger-lines.ts'
import { entriesOf } from '../evidence/sql/manifest.ts'
import { statementAbout } from '../evidence/sql/statements.ts'
import { standing } from '../evidence/standing-statement.ts'
import { rowFact, withdrawn } from '../evidence/statement-facts.ts'
import type { Transaction } from '../warehouse/connect.ts'

/**
 * States whom these requests suppress, in the transaction that changed the list. Without a statement,
 * somebody could delete an identity from the list, and the next full sync would store the person again.
 * Withdraws statements about requests that no longer suppress anybody.
 */
export async function stateSuppressed(
  tx: Transaction,
  { account, key }: { account: string; key: SigningKey },
  requests: readonly number[],
): Promise<void> {
  // The first run that signs anything states the whole list.
  if ((await statementAbout(tx, account, BASELINE)) === undefined) return
  const subjects = requests.map((id) => `ledger/suppressions/${id}`)
  const facts: EntryFact[] = []
  const gone = new Set(subjects)
  for await (const row of statedRows(tx, { account, ledger: 'suppressions', subjects })) {
    facts.push(rowFact(row))
    gone.delete(row.subject)
  }
  const wanted = { subjects: [...gone], kinds: ['statement', 'erasure'] }
  const said = Map.groupBy(await entriesOf(tx, account, wanted), ({ subject }) => subject)
  for (const [subject, entries] of said)
    if (standing(entries).statement !== undefined) facts.push(withdrawn(subject))
  await addVouched(tx, { account, key, basis: 'whom no sync keeps' }, facts)
}
