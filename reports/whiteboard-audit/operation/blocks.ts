import { sql } from 'kysely'
import type { Block, Note, Table } from '../../../src/core/define/report.ts'
import { isAuditSettings } from '../../../src/core/records/audit-settings.ts'
import {
  type Audited,
  dueWithinMs,
  jobRun,
  jobsReading,
  type Ran,
  type RunSpan,
  whenItRan,
} from '../../../src/core/records/when-it-ran.ts'
import { zonedInstant } from '../../../src/core/time/zone.ts'
import { count } from '../../../src/core/values/quantities.ts'
import { whiteboardSessions } from '../../../src/resources/whiteboard-archives.ts'
import { note } from '../../shared/blocks.ts'
import { instantOf } from '../../shared/local-time.ts'
import { tableColumns, tableOf } from '../../shared/query.ts'
import type { AuditSource } from '../source.ts'
import { auditedTable, type NotedSettings } from './audited.ts'
import { decisionsTable } from './decisions.ts'

/**
 * Shows whether runs took place when due, which settings were audited, and which decisions were made about
 * stored data.
 */
export async function operationBlocks(source: AuditSource): Promise<Block[]> {
  const audited = await readAudited(source)
  const { fromMs, toMs } = source.period
  const ran = whenItRan(
    STREAM,
    { audited, runs: await readRuns(source, audited) },
    { from: iso(fromMs), to: iso(toMs), known_to: iso(source.asOfMs) },
  )
  const decisions = decisionsTable(source)
  if (ran === undefined) return [NOT_RECORDED, decisions]
  return [
    ranNote(source, ran),
    gapsTable(source, { audited, ran }),
    auditedTable(source, audited),
    decisions,
  ]
}

/** Reads the settings at the start of the period and each later change, oldest first. */
async function readAudited({ db, account, period }: AuditSource): Promise<NotedSettings[]> {
  const own = db.selectFrom('callsheet.audit_settings').where('account', '=', account)
  const before = own
    .select(({ fn }) => fn.max('at').as('at'))
    .where('at', '<=', instantOf(period.fromMs))
  const rows = await own
    .select(['at', 'noted_by', 'settings'])
    .where(({ eb, fn, val }) => eb('at', '>=', fn.coalesce(before, val('-infinity'))))
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.flatMap(({ at, noted_by: notedBy, settings }) =>
    isAuditSettings(settings) ? [{ since: iso(Date.parse(at)), notedBy, settings }] : [],
  )
}

/** Reads the ended full runs of the period, and the last one before and the first one after it. */
async function readRuns(
  { db, account, period }: AuditSource,
  audited: readonly Audited[],
): Promise<RunSpan[]> {
  const jobs = jobsReading(STREAM, audited)
  if (jobs.length === 0) return []
  const closed = db
    .selectFrom('callsheet.runs')
    .where('account', '=', account)
    .where('job', 'in', jobs)
    .where('state', '<>', 'running')
    .where('partial', '=', false)
  const [from, to] = [instantOf(period.fromMs), instantOf(period.toMs)]
  const before = closed
    .select(({ fn }) => fn.max('started_at').as('at'))
    .where('started_at', '<', from)
  const after = closed
    .select(({ fn }) => fn.min('started_at').as('at'))
    .where('started_at', '>=', to)
  const rows = await closed
    .select(['job', 'state', 'partial', 'started_at', 'finished_at'])
    .where('started_at', '>=', sql<string>`coalesce(${before}, ${from})`)
    .where('started_at', '<=', sql<string>`coalesce(${after}, ${to})`)
    .execute()
  return rows.flatMap((row) => jobRun(row) ?? [])
}

function ranNote(source: AuditSource, { runs, first, last, gaps }: Ran): Note {
  const at = (instant: string | null): string =>
    zonedInstant(Date.parse(instant ?? ''), source.timeZone)
      .slice(0, 16)
      .replace('T', ' ')
  if (runs === 0)
    return note(
      'warning',
      'No run is recorded in or before this period. Check the schedule of the job.',
    )
  const times =
    runs === 1
      ? `One run took place, at ${at(first)}`
      : `${count(runs)} runs took place, from ${at(first)} to ${at(last)}`
  // Before the account's first settings, nothing was due and nothing is recorded.
  const late = Date.parse(first ?? '') > source.period.fromMs
  const before = late ? '; no earlier run is recorded' : ''
  if (gaps.length === 0) {
    const text = `${times}${before}. No interval between runs was longer than the schedule allows.`
    return note(late ? 'plain' : 'good', text)
  }
  const told = gaps.slice(0, MOST_NAMED).map(({ from, to }) => `from ${at(from)} to ${at(to)}`)
  const more =
    gaps.length > told.length ? `, and at ${count(gaps.length - told.length)} other times` : ''
  const text =
    `No run took place for longer than the schedule allows: ${told.join(', ')}${more}. Changes ` +
    'that were undone or overwritten at the service in the meantime were not seen. ' +
    `${times}${before}.`
  return note('warning', text)
}

const GAP_COLUMNS = tableColumns([
  { name: 'from', title: 'No run from', format: 'instant' },
  { name: 'to', title: 'Until', format: 'instant' },
  { name: 'hours', title: 'Hours', format: 'decimal' },
  { name: 'due', title: 'Allowed hours', format: 'decimal' },
])

function gapsTable(
  { timeZone }: AuditSource,
  { audited, ran }: { audited: readonly Audited[]; ran: Ran },
): Table {
  const rows = ran.gaps.map((gap) => {
    const [fromMs, toMs] = [Date.parse(gap.from), Date.parse(gap.to)]
    return {
      from: zonedInstant(fromMs, timeZone),
      to: zonedInstant(toMs, timeZone),
      hours: (toMs - fromMs) / HOUR_MS,
      due: dueWithinMs(audited, STREAM, fromMs) / HOUR_MS,
    }
  })
  const title = 'Intervals without a run'
  return tableOf(
    { title, columns: GAP_COLUMNS, empty: 'No interval was longer than the schedule allows.' },
    rows,
  )
}

const NOT_RECORDED: Note = note(
  'plain',
  'The audit settings of this period are not recorded, so it is unknown when runs were due.',
)
const STREAM = whiteboardSessions.name
const iso = (ms: number): string => new Date(ms).toISOString()
const MOST_NAMED = 3
const HOUR_MS = 3_600_000
