import { wantsAnyFiles } from '../config/archive-settings.ts'
import { BASELINE } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import type { EvidenceAccess, StatingDeps } from './log/evidence-access.ts'
import { statementAbout } from './sql/statements.ts'

/**
 * What states an account's ledgers; undefined where the configuration wants no evidence to be kept and none
 * ever was. An account that states anything goes on: what it reads while no files are fetched would else be
 * stated nowhere, as what a stranger puts in.
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
