import type { Kysely } from 'kysely'
import type { ReportContext } from '../../src/core/define/report.ts'
import type { ReportLedgers } from '../../src/core/define/report-ledgers.ts'
import type { Period } from '../../src/core/define/report-period.ts'

/** The report's data: the account's ledgers and the day. */
export interface Source extends ReportContext<unknown> {
  period: Period
  /**
   * When persons were erased, in epoch milliseconds. Their records are no longer counted, and their rows are
   * deleted.
   */
  erasures(): Promise<readonly number[]>
}

export function reconciliationSource(context: ReportContext<unknown>): Source {
  const { db, account, periods } = context
  // Periods are defined, because the report always has a day.
  const { period } = periods as NonNullable<typeof periods>
  return { ...context, period, erasures: () => erasuresOf(db, account) }
}

async function erasuresOf(db: Kysely<ReportLedgers>, account: string): Promise<number[]> {
  const rows = await db
    .selectFrom('callsheet.erasure_requests')
    .select(({ ref }) => ref('ended_at').$notNull().as('ended_at'))
    .where('account', '=', account)
    .where('ended_at', 'is not', null)
    .where('state', 'in', ['done', 'readmitted'])
    .execute()
  return rows.map(({ ended_at }) => Date.parse(ended_at))
}
