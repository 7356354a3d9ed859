import { reports } from '../src/account/catalog.ts'
import { publishReport } from '../src/report/publish-report.ts'
import type { PlacedFile } from '../src/report/put-in-place.ts'
import { connect } from '../src/warehouse/connect.ts'
import { serveOrder } from './child.ts'
import { peakBytes } from './peak-memory.ts'
import { REPORT_ACCOUNT } from './report-rows.ts'

export interface PublishOrder {
  databaseUrl: string
  directory: string
  report: string
  params: Record<string, string>
}

export interface PublishedOnce {
  wallMs: number
  cpuMs: number
  peakBytes: number
  files: readonly PlacedFile[]
  covered: boolean
}

/** One report, as `callsheet report` makes it, from the opening of the connection to the files' names. */
async function publish(order: PublishOrder): Promise<PublishedOnce> {
  const report = reports.find(({ name }) => name === order.report)
  if (report === undefined) throw new Error(`There is no report ${order.report}`)
  const cpuBefore = process.cpuUsage()
  const startedMs = performance.now()
  const warehouse = connect({ url: order.databaseUrl, poolSize: 2 })
  const { files, covered } = await publishReport(
    { warehouse },
    {
      report,
      account: REPORT_ACCOUNT,
      params: order.params,
      timeZone: 'UTC',
      directory: order.directory,
      formats: ['xlsx', 'html'],
    },
  )
  const wallMs = performance.now() - startedMs
  await warehouse.close()
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    wallMs,
    cpuMs: (user + system) / 1000,
    peakBytes: peakBytes(),
    files,
    covered,
  }
}

await serveOrder(publish)
