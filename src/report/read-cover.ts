import { checkTimeZone } from '../core/time/zone.ts'
import { openDisputes } from '../evidence/disputes.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { prepareReport } from './prepare-report.ts'
import type { PublishRequest } from './publish-report.ts'
import { readCoverage } from './report-coverage.ts'
import * as moments from './report-moment.ts'
import { readParams } from './report-params.ts'
import { isWhole } from './report-verdict.ts'

/** Whether a report, if it were made now, would be wholly covered. No file is made. */
export async function isCovered(
  warehouse: Pick<Warehouse, 'transaction'>,
  request: Pick<PublishRequest, 'report' | 'account' | 'params' | 'timeZone'>,
): Promise<boolean> {
  const { report, account } = request
  const params = readParams(request)
  const timeZone = checkTimeZone(request.timeZone)
  return await warehouse.transaction(
    async (tx) => {
      // A report without needs is about the runs themselves: what it tells is its provenance.
      if (report.needs.length === 0)
        return (await prepareReport(tx, { ...request, params, timeZone })).settled
      const moment = await moments.readMoment(tx, account, report)
      const asOfMs = await moments.asOfMs(tx, { account, report }, moment)
      const periods = report.periods(params, { asOfMs, timeZone })
      const source = { account, moment, disputes: openDisputes(tx, account) }
      return isWhole(await readCoverage(tx, source, { report, period: periods?.period }))
    },
    { snapshot: true, keeps: true },
  )
}
