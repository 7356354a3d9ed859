import { LoadError } from '../../core/errors.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { VerifiedEvidence } from './verifying.ts'

export const VERIFY_JOB = 'verify'

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

/**
 * Records a verification of an account's evidence, with its number of findings, as a finished run. A
 * verification needs no lease, so the run gets the epoch of the last lease.
 */
export async function recordVerification(
  db: Transaction,
  { account, findings }: { account: string; findings: number },
): Promise<void> {
  const problems = findings === 0 ? [] : [`${VERIFY_JOB}: ${findings} findings`]
  await db
    .insertInto('callsheet.runs')
    .values(({ fn, lit, selectFrom }) => ({
      account,
      job: VERIFY_JOB,
      epoch: fn.coalesce(
        selectFrom('callsheet.leases').select('epoch').where('account', '=', account),
        lit(0),
      ),
      state: findings === 0 ? 'complete' : 'incomplete',
      started_at: now,
      finished_at: now,
      summary: JSON.stringify({ problems, findings }),
    }))
    .execute()
}

/** Errors of a role without the right to write, and of a read-only database such as a replica. */
export const MAY_NOT: ReadonlySet<string> = new Set(['database_permission', 'database_read_only'])
