import { BASELINE } from '../../core/records/statement.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { entriesBySubject, type ManifestRow, toldSubject } from './manifest.ts'

/** The statements about a ledger and their withdrawals, ordered by subject and number. */
export function statementsOf(
  tx: Transaction,
  account: string,
  ledger: string,
): AsyncGenerator<ManifestRow> {
  return entriesBySubject(tx, account, { stream: ledger, kinds: ['statement', 'erasure'] })
}

/** The statement about a subject that has at most one, such as the baseline; undefined if there is none. */
export async function statementAbout(
  tx: Transaction,
  account: string,
  subject: string,
): Promise<{ seq: number } | undefined> {
  return await tx
    .selectFrom('callsheet.manifest as m')
    .select('seq')
    .where('account', '=', account)
    .where(toldSubject, '=', subject)
    .where('kind', '=', 'statement')
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
}

/** The accounts that have a baseline, in alphabetical order. */
export async function statingAccounts(tx: Transaction): Promise<string[]> {
  const rows = await tx
    .selectFrom('callsheet.manifest as m')
    .select('account')
    .distinct()
    .where(toldSubject, '=', BASELINE)
    .orderBy('account')
    .execute()
  return rows.map(({ account }) => account)
}
