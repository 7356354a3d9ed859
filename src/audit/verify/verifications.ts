import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'

/** The name under which the ledger of runs has verifications, beside those of jobs. */
export const VERIFY_JOB = 'verify'

/**
 * Records that an account's evidence was verified, and how many findings there were, as a run that has ended.
 * A verification needs no lease, so that the run has the epoch of whoever had it last.
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
