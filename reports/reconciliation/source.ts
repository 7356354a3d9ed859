import type { Kysely } from 'kysely'
import type { Period, ReportContext } from '../../src/core/define/report.ts'
import type { ReportLedgers } from '../../src/core/define/report-ledgers.ts'

/** What the sheets read: the account's ledgers, and the day that they are read for. */
export interface Source extends ReportContext<unknown> {
  period: Period
  /** When persons were erased, epoch milliseconds: their records count nowhere since, and their rows went. */
  erasures(): Promise<readonly number[]>
}

export function reconciliationSource(context: ReportContext<unknown>): Source {
  const { db, account, periods } = context
  // The report always names its day.
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
