import { enterRows } from '../../evidence/enter-rows.ts'
import type { SigningKey } from '../../evidence/log/signing-key.ts'
import { restateSlices } from '../../evidence/restate-slices.ts'
import { lockManifest } from '../../evidence/sql/manifest.ts'
import { countBatches } from '../../evidence/sql/slice-lines.ts'
import { statingAccounts } from '../../evidence/sql/statements.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { dropOldMonth } from '../ledger/retention.ts'

/** States for each account that states anything since when the ledger of slices is kept. */
export async function stateRetention(tx: Transaction, key: () => SigningKey): Promise<void> {
  for (const account of await statingAccounts(tx))
    await enterRows(tx, { account, key: key(), basis: BASIS }, { ledger: 'retention' })
}

/**
 * Drops the oldest month that is kept no longer, and states the batches anew of which it took slices. Answers
 * its name; undefined once there is none.
 */
export async function dropStated(
  tx: Transaction,
  { keptFrom, key }: { keptFrom: string; key: () => SigningKey },
): Promise<string | undefined> {
  const accounts = await statingAccounts(tx)
  for (const account of accounts) await lockManifest(tx, account)
  const before = accounts.length === 0 ? [] : await countBatches(tx, keptFrom)
  const month = await dropOldMonth(tx)
  if (before.length === 0) return month
  const after = new Map(
    (await countBatches(tx, keptFrom)).map(({ account, subject, rows }) => [
      `${account} ${subject}`,
      rows,
    ]),
  )
  for (const account of accounts) {
    const less = before.filter(
      (one) => one.account === account && after.get(`${account} ${one.subject}`) !== one.rows,
    )
    const subjects = less.map(({ subject }) => subject)
    if (subjects.length > 0)
      await restateSlices(tx, { account, key: key(), basis: BASIS }, subjects)
  }
  return month
}

const BASIS = 'ledger.keepMonths'
