import { checkTimeZone } from '../../core/time/zone.ts'
import type { Warehouse } from '../../warehouse/connection/connect.ts'
import type { PublishRequest } from './publish-report.ts'
import { isWhole } from './report-cover.ts'
import { readCoverage } from './report-coverage.ts'
import * as moments from './report-moment.ts'
import { readParams } from './report-params.ts'

/** Whether a report, if it were made now, would be wholly covered. It is not made. */
export async function isCovered(
  warehouse: Pick<Warehouse, 'transaction'>,
  request: Pick<PublishRequest, 'report' | 'account' | 'params' | 'timeZone'>,
): Promise<boolean> {
  const { report, account } = request
  const params = readParams(request)
  const timeZone = checkTimeZone(request.timeZone)
  return await warehouse.transaction(
    async (tx) => {
      const moment = await moments.readMoment(tx, account, report)
      const asOfMs = await moments.asOfMs(tx, { account, report }, moment)
      const periods = report.periods(params, { asOfMs, timeZone })
      const source = { account, moment }
      return isWhole(await readCoverage(tx, source, { report, period: periods?.period }))
    },
    { snapshot: true },
  )
}
