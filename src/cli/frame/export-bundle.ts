import { basename, join } from 'node:path'
import { reports } from '../../account/catalog.ts'
import { openStore } from '../../account/choose-store.ts'
import { witnessPolicy } from '../../account/named-witnesses.ts'
import { openEvidence } from '../../account/open-evidence.ts'
import { whoAsks } from '../../account/who-asks.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { exportAudit } from '../../audit/bundle/export-audit.ts'
import type { ExportedAudit, ExportOptions, MakeWorkbook } from '../../audit/bundle/exporting.ts'
import { settingsOf } from '../../core/define/settings-of.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { checkTimeZone, zonedDayStartMs } from '../../core/time/zone.ts'
import { slug } from '../../core/values/slug.ts'
import { publishReport } from '../../report/publish-report.ts'
import { scopeSuffix } from '../../report/report-name-suffix.ts'
import { refuseRestored } from '../../warehouse/ledger/lineage.ts'

/** The contents of a bundle. The days are `yyyy-mm-dd`, and the last one is included. */
export interface BundleOptions {
  from: string
  to: string
  whiteboard?: string
  user?: string
  /** Default: the time zone in the configuration. */
  timezone?: string
  directory: string
  signal: AbortSignal
  /** Returns the case that the bundle belongs to, if any. Throws if the hold of the case is not usable. */
  forCase?: () => Promise<ExportOptions['forCase']>
}

/** A bundle, with its workbook's warnings about filters that are likely mistakes. */
export interface WarnedBundle extends ExportedAudit {
  warnings: readonly string[]
}

/** Writes the evidence of some days of an account, with the workbook of the same days, as one zip file. */
export async function exportBundle(
  opened: OpenWarehouse,
  account: string,
  options: BundleOptions,
): Promise<WarnedBundle> {
  const { wiring, warehouse } = opened
  const { directory, signal } = options
  const scope = scopeOf(opened, account, options)
  await refuseRestored(warehouse, account)
  const { key, previousKeys, streams } = openEvidence(wiring)
  const store = await openStore(wiring, account)
  const warnings: string[] = []
  try {
    const forCase = await options.forCase?.()
    const exported = await exportAudit(
      { warehouse, clock: wiring.clock },
      {
        scope,
        store,
        key,
        previousKeys,
        streams,
        witnesses: witnessPolicy(wiring.config),
        signal,
        path: join(directory, bundleName(account, options)),
        by: whoAsks(),
        forCase,
        makeWorkbook: workbookOf(opened, account, { ...options, warnings }),
      },
    )
    return { ...exported, warnings }
  } finally {
    await store.close()
  }
}

function bundleName(account: string, { from, to, whiteboard, user }: BundleOptions): string {
  return `${slug(account)}-audit-${from}-${to}${scopeSuffix({ whiteboard, user })}.zip`
}

function scopeOf({ wiring }: OpenWarehouse, account: string, options: BundleOptions) {
  const { from, to, whiteboard, user, timezone } = options
  if (to < from)
    throw new ConfigurationError('wrong_days', {
      tried: 'Reading the days of an export',
      came: `the first day, ${from}, is after the last day, ${to}`,
      todo: 'swap --from and --to',
    })
  const zone = checkTimeZone(timezone ?? wiring.config.timezone)
  const dayAfter = new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
  const begin = (day: string): string => new Date(zonedDayStartMs(day, zone)).toISOString()
  return { account, from: begin(from), to: begin(dayAfter), whiteboard, user }
}

/** Returns a function that makes the bundle's workbook; undefined if the report does not exist. */
function workbookOf(
  opened: OpenWarehouse,
  account: string,
  { from, to, whiteboard, user, timezone, warnings }: BundleOptions & { warnings: string[] },
): MakeWorkbook | undefined {
  const report = reports.find(({ name }) => name === 'whiteboard-audit')
  if (report === undefined) return undefined
  const { timezone: timeZone } = opened.wiring.config
  const { settings } = opened.wiring.config.reports
  return async (directory) => {
    const made = await publishReport(opened, {
      report,
      account,
      directory,
      formats: ['xlsx'],
      params: { from, to, whiteboard, user, timezone },
      settings: settingsOf(report, settings),
      timeZone,
    })
    warnings.push(...made.warnings)
    return made.files.map(({ path }) => basename(path))
  }
}
