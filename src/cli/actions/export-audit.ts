import { userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { ConfigurationError } from '../../core/errors.ts'
import { DAY_MS } from '../../core/time.ts'
import { checkTimeZone, zonedDayStartMs } from '../../core/zone.ts'
import type { ExportedAudit, MakeWorkbook } from '../../engine/export/exporting.ts'
import { exportAudit } from '../../engine/export-audit.ts'
import { publishReport } from '../../engine/publish-report.ts'
import { slug } from '../../engine/render-formats.ts'
import { makeReportDirectory } from '../../engine/report-directory.ts'
import { reports } from '../catalog.ts'
import { chooseAccounts } from '../choose.ts'
import type { CommonOptions } from '../command.ts'
import type { Context } from '../context.ts'
import { openEvidence } from '../open-evidence.ts'
import { openStore } from '../open-store.ts'
import { count } from '../output.ts'
import { type OpenWarehouse, withWarehouse } from '../wire.ts'

export interface ExportAuditOptions extends CommonOptions {
  from: string
  to: string
  whiteboard?: string
  user?: string
  account?: string
  timezone?: string
  out?: string
}

/** One bundle for each account asked for. */
export async function exportAudits(context: Context, options: ExportAuditOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: false }, async (opened) => {
    const made: ExportedAudit[] = []
    for (const { name } of accounts) made.push(await exportOne({ context, opened, options }, name))
    context.output.result({ bundles: made })
    return made.every(({ problems }) => problems.length === 0) ? 0 : 1
  })
}

interface Frame {
  context: Context
  opened: OpenWarehouse
  options: ExportAuditOptions
}

async function exportOne(frame: Frame, account: string): Promise<ExportedAudit> {
  const { context, opened, options } = frame
  const { config, clock } = opened.wiring
  const directory = options.out ?? config.reports.directory
  await makeReportDirectory(directory)
  const { key, streams } = openEvidence(opened.wiring)
  const store = await openStore(opened.wiring, account)
  try {
    const made = await exportAudit(
      { warehouse: opened.warehouse, clock },
      {
        scope: scopeOf(frame, account),
        store,
        key,
        streams,
        signal: context.signal,
        path: join(directory, `${slug(account)}-audit-${options.from}-${options.to}.zip`),
        by: userInfo().username,
        makeWorkbook: workbookOf(frame, account),
      },
    )
    print(context, made)
    return made
  } finally {
    await store.close()
  }
}

function scopeOf({ opened, options }: Frame, account: string) {
  const { from, to, whiteboard, user } = options
  if (to < from)
    throw new ConfigurationError('wrong_days', {
      tried: 'Reading the days of an export',
      expected: 'a first and a last day, in this order',
      came: `from ${from} to ${to}`,
    })
  const zone = checkTimeZone(options.timezone ?? opened.wiring.config.reports.timezone)
  const dayAfter = new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
  const begin = (day: string): string => new Date(zonedDayStartMs(day, zone)).toISOString()
  return { account, from: begin(from), to: begin(dayAfter), whiteboard, user }
}

/** The report of the same days goes with the bundle, where there is such a report. */
function workbookOf({ opened, options }: Frame, account: string): MakeWorkbook | undefined {
  const report = reports.find(({ name }) => name === 'whiteboard-audit')
  if (report === undefined) return undefined
  const { from, to, whiteboard, user, timezone } = options
  return async (directory) => {
    const { files } = await publishReport(opened, {
      report,
      account,
      directory,
      formats: ['xlsx'],
      params: { from, to, whiteboard, user, timezone },
      timeZone: opened.wiring.config.reports.timezone,
    })
    return files.map(({ path }) => basename(path))
  }
}

function print({ output }: Context, { path, bytes, facts, problems }: ExportedAudit): void {
  output.line(path)
  output.table([
    ['  entries', facts.entries],
    ['  records', facts.records],
    ['  files', facts.files],
    ['  size', `${count(Math.ceil(bytes / 1024))} KB`],
    ['  head', facts.head],
    ['  key', facts.key],
  ])
  for (const problem of problems) output.note(`warning: ${problem}`)
}
