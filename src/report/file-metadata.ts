import { iso } from '../core/time/time.ts'
import type { FileTable } from './files/document-tables.ts'
import type { Prepared } from './prepare-report.ts'
import type { StreamCoverage } from './report-coverage.ts'
import { runIds } from './report-moment.ts'
import { isWhollyCovered, verdictOf } from './report-verdict.ts'

/**
 * The metadata of a report's files, for formats that can store it: account, moment, period and coverage.
 * Instants are UTC.
 */
export function fileMetadata(prepared: Prepared): Record<string, string> {
  const { document, moment, periods, timeZone, coverage, params, settled } = prepared
  const { account, report, title, asOfMs, runsEndMs, sinceMs } = document
  const period = periods?.period
  return {
    'callsheet.account': account,
    'callsheet.report': report,
    'callsheet.title': title,
    'callsheet.as_of': iso(asOfMs),
    'callsheet.runs_end': iso(runsEndMs ?? asOfMs),
    'callsheet.runs': JSON.stringify(runIds(moment)),
    ...(sinceMs === undefined ? {} : { 'callsheet.since': iso(sinceMs) }),
    ...(period === undefined
      ? {}
      : {
          'callsheet.period': period.label,
          'callsheet.period_from': iso(period.fromMs),
          'callsheet.period_to': iso(period.toMs),
        }),
    'callsheet.params': JSON.stringify(params),
    'callsheet.time_zone': timeZone,
    'callsheet.whole': String(isWhollyCovered(coverage) && settled),
    'callsheet.verdict': verdict(prepared),
    ...coverageMetadata(coverage, document.owner === undefined),
  }
}

/** The coverage of each stream, with the missing parts of the period; a cut has no counts of slices. */
export function coverageMetadata(
  coverage: readonly StreamCoverage[],
  withCounts = true,
): Record<string, string> {
  const streams = coverage.map((one) => ({
    stream: one.stream,
    run: one.run.id,
    run_ended: iso(one.run.finishedAtMs),
    run_state: one.run.state,
    whole: one.whole,
    needed: !one.optional,
    ...(withCounts ? { slices_complete: one.complete, slices_incomplete: one.incomplete } : {}),
    quarantined: one.setAside,
    ...(one.refusal === undefined ? {} : { not_allowed: one.refusal }),
  }))
  const unread = coverage.flatMap(({ stream, missing }) =>
    missing.map(({ fromMs, toMs }) => ({ stream, from: iso(fromMs), to: iso(toMs) })),
  )
  return {
    'callsheet.coverage': JSON.stringify(streams),
    'callsheet.unread': JSON.stringify(unread),
  }
}

/** The metadata of one table. */
export function tableMetadata({ section, table }: FileTable): Record<string, string> {
  return {
    ...(section === undefined ? {} : { 'callsheet.section': section }),
    'callsheet.table': table.title,
  }
}

function verdict({ document, coverage, periods, timeZone, settled }: Prepared): string {
  if (coverage.length > 0)
    return verdictOf({ coverage, periods, timeZone, asOfMs: document.asOfMs }).text
  return settled
    ? 'Everything in this report is settled.'
    : 'Something in this report is NOT settled yet.'
}
