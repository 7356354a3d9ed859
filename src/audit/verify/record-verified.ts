import { LoadError } from '../../core/errors.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { MAY_NOT } from './check-store.ts'
import { recordVerification } from './verifications.ts'
import type { VerifiedEvidence } from './verifying.ts'

/**
 * Records the result of a verification for the account's health. Works for a read-only role too: then the
 * result notes that nothing was recorded.
 */
export async function recordVerified(
  { db }: Pick<Warehouse, 'db'>,
  verified: VerifiedEvidence,
): Promise<VerifiedEvidence> {
  const { account, findingCount: findings, notJudged } = verified
  try {
    await recordVerification(db, { account, findings })
    return verified
  } catch (error) {
    if (!(error instanceof LoadError) || !MAY_NOT.has(error.code)) throw error
    const remark =
      'The result of this verification, which was not recorded: this database role cannot write.'
    return { ...verified, notJudged: [...notJudged, remark] }
  }
}
