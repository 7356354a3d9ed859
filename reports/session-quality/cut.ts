import { sql } from 'kysely'
import type { ReportCut } from '../../src/core/define/owner.ts'
import type { ReportContext } from '../../src/core/define/report.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { rowCount } from '../shared/expressions.ts'
import { sessionsBetween } from './source.ts'

type Streams = typeof sessionReports

/** Sessions belong to the owner of their key. */
export const qualityCut: ReportCut<Streams, ReportContext<unknown, Streams>> = {
  by: ['sessionKeys'],
  owned: async ({ place, isOwned }) =>
    new Map([[sessionReports, isOwned(place('sessionKeys', sql`r.session_key`))]]),
  async count(context) {
    const { period } = context.periods ?? {}
    if (period === undefined) return []
    const { count } = await context.db
      .selectFrom(sessionsBetween(context, period).as('s'))
      .select(rowCount.as('count'))
      .executeTakeFirstOrThrow()
    return [{ count, one: `session of ${period.label}`, many: `sessions of ${period.label}` }]
  },
}
