import { wantsAnyFiles } from '../config/archive-settings.ts'
import { BASELINE } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import type { EvidenceAccess, StatingDeps } from './log/evidence-access.ts'
import { statementAbout } from './sql/statements.ts'

/**
 * Returns the access with which an account's ledgers are stated; undefined if no key is configured, or if the
 * account fetches no files and has no baseline. An account with a baseline must continue to state its rows,
 * because unstated rows look like rows that a stranger added.
 */
export async function signsEvidence(
  tx: Transaction,
  { account, archive, evidence }: StatingDeps & { account: string },
): Promise<EvidenceAccess | undefined> {
  if (evidence === undefined) return undefined
  const wanted = archive !== undefined && wantsAnyFiles(archive.settings)
  const states = wanted || (await statementAbout(tx, account, BASELINE)) !== undefined
  return states ? evidence() : undefined
}
