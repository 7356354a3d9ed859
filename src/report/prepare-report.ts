import type { Block, Note, Report, ReportDocument, Section } from '../core/define/report.ts'
import type { ReportPeriods } from '../core/define/report-period.ts'
import { fetchedStream } from '../core/define/stream.ts'
import { toMinutes } from '../core/time/time.ts'
import { zonedInstant } from '../core/time/zone.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { endKeeping } from './keep-rows.ts'
import { openReportContext, type ReadyRequest } from './open-context.ts'
import type { StreamCoverage } from './report-coverage.ts'
import * as moments from './report-moment.ts'
import { withProvenance } from './report-provenance.ts'

export interface Prepared {
  document: ReportDocument
  moment: moments.Moment
  coverage: StreamCoverage[]
  /** Whether the report has no open parts. */
  settled: boolean
  /** The open parts, as sentences of the report. */
  open: string[]
  warnings: string[]
  periods: ReportPeriods | undefined
  timeZone: string
  /** The parameters as given, without period and time zone. */
  params: Record<string, unknown>
}

/** Builds a report's content from the transaction's tables. */
export async function prepareReport(tx: Transaction, request: ReadyRequest): Promise<Prepared> {
  const { report, account, params, timeZone, sinceMs } = request
  await planForWholeTables(tx)
  const opened = await openReportContext(tx, request)
  const { context, moment, coverage, ownerless } = opened
  const { periods, asOfMs, previousAsOfMs, owner } = context
  const built = await report.build(context)
  await endKeeping(tx)
  const more = built
    .filter((section) => section.provenance === true)
    .flatMap(({ blocks }) => blocks)
  const shown = built.filter((section) => section.provenance !== true)
  const sections = withOwner(shown, owner, ownerless)
  const comparedMs = periods === undefined || sinceMs !== undefined ? previousAsOfMs : undefined
  const beforeCovered = periods === undefined ? undefined : context.beforeCovered
  const facts = { account, timeZone, asOfMs, periods, coverage, beforeCovered, comparedMs, owner }
  const unread = unreadStreams(report, moment)
  const only = otherParams(params)
  const provenance = { ...facts, unread, params: only, more }
  const subtitle = subtitleOf({ account, asOfMs, periods, timeZone, only })
  const runsEndMs = moment.size === 0 ? asOfMs : moments.endMs(moment)
  const origin = { title: report.title, report: report.name, account, asOfMs, runsEndMs }
  const document = {
    ...origin,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(owner === undefined ? {} : { owner }),
    subtitle,
    sections: withProvenance(sections, provenance),
  }
  const warnings = more.flatMap((block) =>
    block.kind === 'note' && block.mistake === true ? [block.text] : [],
  )
  const open = built.flatMap(openOf)
  const settled = open.length === 0
  return { document, moment, coverage, settled, open, warnings, periods, timeZone, params: only }
}

/**
 * Adds the notes on rows without an owner to a report on the whole account. Makes the columns of a cut
 * read-only: a list with only some of the rows must not be applied as if it were the whole list.
 */
function withOwner(
  sections: readonly Section[],
  owner: string | undefined,
  ownerless: readonly Note[],
): readonly Section[] {
  const [first, ...rest] = sections
  if (first === undefined) return sections
  if (owner === undefined) return [{ ...first, blocks: [...first.blocks, ...ownerless] }, ...rest]
  return sections.map((section) => ({ ...section, blocks: section.blocks.map(readOnly) }))
}

function readOnly(block: Block): Block {
  if (block.kind !== 'table') return block
  const nothing = { editable: undefined, suggested: undefined }
  return { ...block, columns: block.columns.map((column) => ({ ...column, ...nothing })) }
}

function openOf({ blocks }: Section): string[] {
  return blocks.flatMap((block) =>
    block.kind === 'note' && block.unsettled === true ? [block.text] : [],
  )
}

/** Returns optional streams that were never read, for the provenance. */
function unreadStreams({ needs, optional = [] }: Report, moment: moments.Moment): string[] {
  if (needs.length === 0) return []
  return optional.map(fetchedStream).flatMap(({ name }) => (moment.has(name) ? [] : [name]))
}

/**
 * Tunes the planner for reports, which read whole tables. A table that was just loaded has no statistics yet:
 * a nested loop over 8,000 numbers, planned for two, took 12 s instead of 0.1 s. Without memory to hash ten
 * thousand or more groups, Postgres first sorts a million rows on disk, which takes three times as long. A
 * window's rows are adjacent on disk, so a month is read by its index.
 */
async function planForWholeTables(tx: Transaction): Promise<void> {
  await tx
    .selectNoFrom(({ fn, val, lit }) =>
      Object.entries(FOR_WHOLE_TABLES).map(([name, value]) =>
        fn('set_config', [val(name), val(value), lit(true)]).as(name),
      ),
    )
    .execute()
}

const FOR_WHOLE_TABLES = {
  enable_nestloop: 'off',
  jit: 'off',
  work_mem: '64MB',
  random_page_cost: '1.1',
  cursor_tuple_fraction: '1',
}

/** Returns the parameters without period and zone, which the provenance shows anyway. */
export function otherParams(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !OF_PERIOD.has(name)))
}

interface Titled {
  account: string
  periods: ReportPeriods | undefined
  asOfMs: number
  timeZone: string
  /** The parameters other than period and time zone, by name. */
  only: Readonly<Record<string, unknown>>
}

/** Returns the line under the title of each sheet, because sheets are printed and shared separately. */
function subtitleOf({ account, periods, asOfMs, timeZone, only }: Titled): string {
  const parts = [
    `Account ${account}`,
    ...(periods === undefined ? [] : [periods.period.label]),
    ...Object.entries(only).map(([name, value]) => `only ${name} ${shortened(String(value))}`),
    `as of ${toMinutes(zonedInstant(asOfMs, timeZone))} (${timeZone})`,
  ]
  return parts.join(' · ')
}

/** Shortens a value for a sheet's subtitle; the provenance has the full value. */
function shortened(value: string): string {
  return value.length <= MOST_SHOWN ? value : `${value.slice(0, MOST_SHOWN - 1).toWellFormed()}…`
}

const OF_PERIOD: ReadonlySet<string> = new Set(['month', 'day', 'from', 'to', 'timezone'])

const MOST_SHOWN = 60
