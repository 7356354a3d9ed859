import type { LabelStats } from '../../api/quota/rate-queue.ts'
import type { ArchiveCounts } from '../../archive/result.ts'
import type { RateLabel } from '../../core/define/operation.ts'
import { CallsheetError } from '../../core/errors.ts'
import { withAccount } from '../../core/values/account-commands.ts'
import { bytesText, count, counted, duration } from '../../core/values/quantities.ts'
import type { AppendedEvidence } from '../../evidence/log/evidence-access.ts'
import { problemKind } from '../../serve/health/problems.ts'
import { failureOf, UNAVAILABLE } from '../../sync/run/failure.ts'
import type { RunResult, TableCounts, TrippedGuard } from '../../sync/run/run-types.ts'
import { calledAs } from './called-as.ts'
import type { Output } from './output.ts'
import { describeError, errorLines } from './print-error.ts'
import {
  groupLines,
  groupProblems,
  isOutage,
  type ProblemGroup,
  type ProblemRun,
} from './problem-lines.ts'
import { heading, type TableRow } from './table.ts'

export interface Ended {
  /** The account that printed commands name; set if several are configured. */
  named?: string | undefined
  results: readonly RunResult[]
  labels: Readonly<Record<RateLabel, LabelStats>>
}

/** Prints the summary of a sync: changes by table, calls by label, files, evidence, time and problems. */
export function printRuns(
  output: Output,
  account: string,
  { results, labels, named }: Ended,
): void {
  output.line(`Account ${account}`)
  output.table([TABLES_HEADING, ...results.flatMap(rowsOf)])
  const called = Object.entries(labels).filter(([, { requests }]) => requests > 0)
  if (called.length > 0) {
    output.line()
    output.table([
      ['label', 'calls', '429s', 'spent today', 'usable limit (used)'],
      ...called.map(labelRow),
    ])
  }
  for (const { files } of results)
    if (files !== undefined) {
      output.line(`\nFiles: ${filesText(files)}`)
      if (files.pending > 0) output.line(pendingText())
    }
  for (const { evidence } of results)
    if (evidence !== undefined) output.line(`\nEvidence: ${evidenceText(evidence)}`)
  const slowest = Math.max(0, ...results.map(({ durationMs }) => durationMs))
  output.line(`\nTime: ${duration(slowest)}`)
  for (const line of remarks(results)) output.note(withAccount(line, named))
}

export function runsAsJson(account: string, { results, labels }: Ended): object {
  const runs = results.map(({ error, ...run }) => ({
    ...run,
    ...(error === undefined ? {} : { error: describeError(error) }),
  }))
  return { account, runs, labels }
}

export function filesText(files: ArchiveCounts): string {
  const { stored, bytes, expired, missing, pending, unoffered } = files
  const parts = [`${count(stored)} stored (${bytesText(bytes)})`]
  const others = { expired, missing, pending, 'without a file': unoffered }
  for (const [state, number] of Object.entries(others))
    if (number > 0) parts.push(`${count(number)} ${state}`)
  return parts.join(', ')
}

export function pendingText(): string {
  return (
    'Pending files are not downloaded yet. The next sync tries again; ' +
    `to try now: ${calledAs('callsheet')} archive`
  )
}

export function evidenceText({ checkpoint, ...entries }: AppendedEvidence): string {
  const { records, files, removals, statements } = entries
  const entered = records + files + removals + statements
  const of =
    `${count(records)} records, ${count(files)} files, ${count(removals)} removals, ` +
    `${count(statements)} statements of what was read`
  const what = entered === 0 ? 'nothing new' : `${count(entered)} entries (${of})`
  return checkpoint === undefined ? what : `${what}; the checkpoint is ${checkpoint}`
}

/** Each table shows the run and the state of its job. */
function rowsOf({ tables, slices, runId, state, notAllowed }: RunResult): TableRow[] {
  const isIdle = Object.values(slices).every(({ planned }) => planned === 0)
  return Object.entries(tables).map(([table, counts]) => {
    const read = slices[table]
    const shut = notAllowed[table] !== undefined
    return [
      table,
      counts.inserted,
      counts.updated,
      counts.unchanged,
      counts.deleted,
      counts.present ?? '',
      shut
        ? 'not allowed'
        : read === undefined
          ? ''
          : `${count(read.complete)}/${count(read.planned)}`,
      String(runId),
      // In an incomplete run, a table without slices may depend on a failed list, so it must not look read.
      state === 'complete' && (read === undefined ? isIdle : read.planned === 0)
        ? NOTHING_DUE
        : state.replaceAll('_', ' '),
    ]
  })
}

function labelRow([label, stats]: [string, LabelStats]): TableRow {
  const { requests, rateLimited, spentToday, dailyLimit } = stats
  const share = dailyLimit === undefined ? undefined : Math.round((spentToday / dailyLimit) * 100)
  const limit = dailyLimit === undefined ? 'no known limit' : `${count(dailyLimit)} (${share} %)`
  return [label, requests, rateLimited, spentToday, limit]
}

/** Reports a shared problem once: if the secret is wrong, five jobs fail but there is one thing to fix. */
function remarks(results: readonly RunResult[]): string[] {
  const errors = new Map<string, { text: string; jobs: string[] }>()
  const lines: string[] = []
  const runs: ProblemRun[] = []
  for (const { job, state, problems, error, ...result } of results) {
    const failure = error === undefined ? result.failure : failureOf(error)
    // A service that is down for a whole run is the same problem as one that is down for its slices.
    const down = error instanceof CallsheetError && failure?.key === UNAVAILABLE
    if (error !== undefined && state !== 'interrupted' && !down) {
      const text = errorLines(error, false).join('\n')
      const known = errors.get(problemKind(text))
      if (known === undefined) errors.set(problemKind(text), { text, jobs: [job] })
      else known.jobs.push(job)
    }
    const own = (problem: string): boolean =>
      !(error instanceof Error && error.message.includes(problem))
    const rest = down ? [`${job}: ${error.message}`] : problems.filter(own)
    runs.push({ ...result, failure, problems: rest })
    for (const guard of result.trippedGuards) lines.push(guardText(result.runId, guard))
    for (const [table, { anomalies }] of Object.entries(result.tables))
      if (anomalies > 0) lines.push(anomalyText(table, anomalies))
    for (const [table, counts] of Object.entries(result.tables))
      lines.push(...asideLines(table, counts))
  }
  const groups = groupProblems(runs)
  const [outages, others] = [true, false].map((is) =>
    groups.filter((group) => isOutage(group, runs) === is),
  ) as [ProblemGroup[], ProblemGroup[]]
  for (const group of others.slice(0, MOST_PROBLEMS)) lines.push(...groupLines(group, runs))
  lines.push(...unreported(others.slice(MOST_PROBLEMS)))
  const isExplained = ({ runId }: RunResult): boolean =>
    !others.some(({ runIds }) => runIds.has(runId)) &&
    outages.some(({ runIds }) => runIds.has(runId))
  for (const result of results)
    if (result.state === 'incomplete' && !isExplained(result))
      lines.push(
        `${result.job} is incomplete: ${calledAs('callsheet')} runs ${result.runId} shows each slice`,
      )
  for (const { text, jobs } of errors.values())
    lines.push(...`${jobs.join(', ')}:\n${text}`.split('\n'))
  for (const group of outages) lines.push(...groupLines(group, runs))
  if (outages.length > 0) lines.push(`  then run:   ${nextSync(results)}`)
  return lines
}

/** Returns the command that syncs the incomplete and failed jobs, or all jobs if they exceed `MOST_JOBS`. */
function nextSync(results: readonly RunResult[]): string {
  const jobs = results.flatMap(({ job, state }) =>
    ['incomplete', 'failed'].includes(state) ? [job] : [],
  )
  const names = jobs.length > MOST_JOBS ? '' : jobs.map((job) => ` ${job}`).join('')
  return `${calledAs('callsheet')} sync${names}`
}

/** Reports how many kinds of problems are not listed, and which runs list them. */
function unreported(rest: readonly ProblemGroup[]): string[] {
  if (rest.length === 0) return []
  const runs = new Set(rest.flatMap(({ runIds }) => [...runIds]))
  const where = [...runs].map((id) => `${calledAs('callsheet')} runs ${id}`).join(', ')
  const kinds = rest.length === 1 ? 'kind of problem' : 'kinds of problems'
  return [`${count(rest.length)} more ${kinds}, not listed here: see ${where}`]
}

/** Returns lines with the counts of a table's records that were not stored, and of rows removed from it. */
function asideLines(table: string, { quarantined, outside, left }: TableCounts): string[] {
  const lines = [
    [quarantined, `${counted(quarantined, 'record')} without a usable key`],
    [outside, `${counted(outside, 'record')} outside ${PART}, counted and not stored`],
    [
      left,
      `${counted(left, 'row')} left ${PART}; only the history has ${left === 1 ? 'it' : 'them'}`,
    ],
  ] as const
  return lines.flatMap(([many, text]) => (many > 0 ? [`${table}: ${text}`] : []))
}

function anomalyText(table: string, anomalies: number): string {
  const are = anomalies === 1 ? '1 value is' : `${count(anomalies)} values are`
  return (
    `${table}: ${are} missing, broken or of another type than documented; ` +
    'callsheet.drift lists them as received'
  )
}

function guardText(runId: number, { stream, missing, owned }: TrippedGuard): string {
  return (
    `${stream}: ${count(missing)} of ${count(owned)} rows are missing, more than the limit; ` +
    'none was marked as deleted. ' +
    `To delete them: ${calledAs('callsheet')} sync --approve ${runId}`
  )
}

export const TABLES_HEADING = heading(
  ['table', 'new', 'changed', 'unchanged', 'deleted', 'present', 'slices', 'run', 'state'],
  { least: { table: 28, state: 10 }, hide: ['run', 'present', 'slices', 'unchanged'] },
)
/** Shown as the state of a table or run that had nothing to read. */
export const NOTHING_DUE = 'nothing due'
const PART = 'the part that accounts[].rows keeps'
const MOST_PROBLEMS = 20
const MOST_JOBS = 3
