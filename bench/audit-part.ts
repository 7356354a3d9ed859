import { join } from 'node:path'
import { connect } from '../src/warehouse/connect.ts'
import { checkAudit } from './audit-checks.ts'
import { fillArchive } from './audit-rows.ts'
import { runChild } from './child.ts'
import { openDatabase } from './database.ts'
import { mebibytes, seconds } from './figures.ts'
import type { Part } from './part.ts'
import type { PublishedOnce } from './publish.ts'
import { REPORT_MONTH } from './report-rows.ts'

/** The audit workbook and page, made in a process of its own from tables that were filled before. */
export const auditPart: Part = {
  about: 'whiteboard audit of 200,000 activities',
  async measure({ rows, quick, profileDirectory, nodeFlags }) {
    const database = await openDatabase()
    const warehouse = connect({ url: database.url, poolSize: 1, statementTimeoutMs: 1_800_000 })
    const activities = rows ?? (quick ? 20_000 : 200_000)
    try {
      await fillArchive(warehouse, activities)
      await warehouse.withClient((client) => client.query('vacuum analyze'))
      const params = { from: `${REPORT_MONTH}-01`, to: `${REPORT_MONTH}-30` }
      const directory = join(database.directory, 'out')
      const order = { databaseUrl: database.url, directory, report: 'whiteboard-audit', params }
      const options = { profileDirectory, nodeFlags }
      const made = await runChild<object, PublishedOnce>('publish.ts', order, options)
      const checks = await checkAudit(warehouse, made.files[0]?.path ?? '')
      const equal = checks.filter(({ sheet, sql }) => sheet === sql)
      const name = `whiteboard audit, ${activities.toLocaleString('en')} activities`
      const sizes = made.files.map(
        ({ path, bytes }) => `${path.split('.').at(-1)} ${mebibytes(bytes)}`,
      )
      return {
        figures: [
          {
            what: name,
            measured: seconds(made.wallMs),
            beside: `${seconds(made.cpuMs)} of CPU; ${sizes.join(', ')}`,
            target: '<= 20 s',
            met: made.wallMs <= 20_000 && made.covered,
          },
          {
            what: `${name}: peak memory`,
            measured: mebibytes(made.peakBytes),
            target: '<= 400 MB',
            met: made.peakBytes <= 400 * 2 ** 20,
          },
          {
            what: `${name}: sheet totals`,
            measured: `${equal.length} of ${checks.length} equal SQL`,
            target: 'all',
            met: checks.length > 0 && equal.length === checks.length,
          },
        ],
        tables: [
          {
            title: 'audit, sheets against SQL',
            lines: [
              ['total', 'in the workbook', 'by SQL'],
              ...checks.map(({ what, sheet, sql }) => [what, String(sheet), String(sql)]),
            ],
          },
        ],
      }
    } finally {
      await warehouse.close()
      await database.stop()
    }
  },
}
