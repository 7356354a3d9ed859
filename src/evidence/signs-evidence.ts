import { wantsAnyFiles } from '../config/archive-settings.ts'
import { BASELINE } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import type { EvidenceAccess, StatingDeps } from './log/evidence-access.ts'
import { statementAbout } from './sql/statements.ts'

/**
 * The evidence access that states an account's ledgers; undefined if no evidence is configured and none was
 * ever recorded. An account that has stated anything continues to, even while it fetches no files: otherwise
 * its own rows would look like a stranger's.
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
