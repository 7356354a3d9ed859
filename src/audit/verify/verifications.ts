import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'

/** The job name of verifications in the ledger of runs. */
export const VERIFY_JOB = 'verify'

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
