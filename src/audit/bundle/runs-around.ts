import type { Transaction } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

/**
 * The IDs of ended runs of whole jobs: those that began in a period, the last one before it, and the first
 * one after.
 */
export async function runsAround(
  tx: Transaction,
  {
    account,
    jobs,
    from,
    to,
  }: { account: string; jobs: readonly string[]; from: string; to: string },
): Promise<number[]> {
  const closed = tx
    .selectFrom('callsheet.runs')
    .where('account', '=', account)
    .where('job', '=', anyOf(jobs))
    .where('state', '<>', 'running')
    .where('partial', '=', false)
  const before = closed
    .select(({ fn }) => fn.max('started_at').as('at'))
    .where('started_at', '<', from)
  const after = closed
    .select(({ fn }) => fn.min('started_at').as('at'))
    .where('started_at', '>=', to)
  const rows = await closed
    .select('id')
    .where(({ eb, fn, val }) =>
      eb('started_at', '>=', fn.coalesce(before, val(from))).and(
        'started_at',
        '<=',
        fn.coalesce(after, val(to)),
      ),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
