import type { ReadyRequest } from '../report/open-context.ts'
import { prepareReport } from '../report/prepare-report.ts'
import { renderXlsx } from '../report/xlsx/xlsx.ts'
import type { Warehouse } from '../warehouse/connect.ts'

/** Recreates a workbook as it was, for comparison with the edited one. The result is not recorded. */
export async function remakeWorkbook(
  { warehouse }: { warehouse: Pick<Warehouse, 'transaction'> },
  request: ReadyRequest,
  path: string,
): Promise<void> {
  await warehouse.transaction(
    async (tx) => {
      const { document } = await prepareReport(tx, request)
      await renderXlsx(document, path)
    },
    { snapshot: true, keeps: true },
  )
}
