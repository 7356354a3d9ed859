import { checkTimeZone } from '../core/time/zone.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { openReportContext } from './open-context.ts'
import { prepareReport } from './prepare-report.ts'
import type { PublishRequest } from './publish-report.ts'
import { readParams } from './report-params.ts'
import { isWhollyCovered } from './report-verdict.ts'

/** Whether a report made now would be completely covered. Writes no file. */
export async function isCovered(
  warehouse: Pick<Warehouse, 'transaction'>,
  request: Pick<PublishRequest, 'report' | 'account' | 'params' | 'timeZone'>,
): Promise<boolean> {
  const params = readParams(request)
  const ready = { ...request, params, timeZone: checkTimeZone(request.timeZone) }
  return await warehouse.transaction(
    async (tx) => {
      // A report without needs describes the runs themselves, so its content decides.
      if (request.report.needs.length === 0) return (await prepareReport(tx, ready)).settled
      return isWhollyCovered((await openReportContext(tx, ready)).coverage)
    },
    { snapshot: true, keeps: true },
  )
}
