import type { LabelStats } from '../../api/quota/rate-queue.ts'
import type { ArchiveCounts } from '../../archive/result.ts'
import type { RateLabel } from '../../core/define/operation.ts'
import { count, duration } from '../../core/values/quantities.ts'
import type { AppendedEvidence } from '../../evidence/log/evidence-access.ts'
import { problemKind, withoutCall } from '../../serve/health/problems.ts'
import type { RunResult, TrippedGuard } from '../../sync/run/run-types.ts'
import { calledAs } from './called-as.ts'
import type { Output } from './output.ts'
import { describeError, errorLines } from './print-error.ts'
import { heading, type TableRow } from './table.ts'

export interface Ended {
  results: readonly RunResult[]
  labels: Readonly<Record<RateLabel, LabelStats>>
}

/** Prints the summary of a sync: each table's changes, each label's calls, and the problems. */
export function printRuns(output: Output, account: string, { results, labels }: Ended): void {
  output.line(`Account ${account}`)
  output.table([TABLES_HEADING, ...results.flatMap(rowsOf)])
  const called = Object.entries(labels).filter(([, { requests }]) => requests > 0)
  if (called.length > 0) {
    output.line()
    output.table([
      ['label', 'calls', '429s', 'spent today', 'of, less reserve'],
      ...called.map(labelRow),
    ])
  }
  for (const { files } of results)
    if (files !== undefined) output.line(`\nFiles: ${filesText(files)}`)
  for (const { evidence } of results)
    if (evidence !== undefined) output.line(`\nEvidence: ${evidenceText(evidence)}`)
  const slowest = Math.max(0, ...results.map(({ durationMs }) => durationMs))
  output.line(`\nTime: ${duration(slowest)}`)
  for (const line of remarks(results)) output.note(line)
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
  const parts = [`${count(stored)} stored (${count(Math.ceil(bytes / 1024))} KB)`]
  const others = { expired, missing, pending, 'without a file': unoffered }
  for (const [state, number] of Object.entries(others))
    if (number > 0) parts.push(`${count(number)} ${state}`)
  return parts.join(', ')
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
      state.replaceAll('_', ' '),
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
  const problems = new Map<string, Told>()
  const incomplete = results.filter(({ state }) => state === 'incomplete')
  const lines: string[] = []
  for (const { job, state, problems: said, error, trippedGuards, runId, tables } of results) {
    if (error !== undefined && state !== 'interrupted') {
      const text = errorLines(error, false).join('\n')
      const known = errors.get(problemKind(text))
      if (known === undefined) errors.set(problemKind(text), { text, jobs: [job] })
      else known.jobs.push(job)
    }
    for (const problem of said) {
      if (error instanceof Error && error.message.includes(problem)) continue
      const { place, text } = splitProblem(problem)
      const kind = problemKind(text, place)
      const told = problems.get(kind) ?? { text, same: true, places: [], runIds: new Set() }
      told.same &&= told.text === text
      told.places.push(place)
      told.runIds.add(runId)
      problems.set(kind, told)
    }
    for (const guard of trippedGuards) lines.push(guardText(runId, guard))
    for (const [table, { anomalies }] of Object.entries(tables))
      if (anomalies > 0) lines.push(anomalyText(table, anomalies))
    for (const [table, { quarantined }] of Object.entries(tables))
      if (quarantined > 0)
        lines.push(`${table}: ${count(quarantined)} records without a usable key`)
  }
  for (const told of [...problems.values()].slice(0, MOST_PROBLEMS)) lines.push(problemText(told))
  lines.push(...unreported([...problems.values()].slice(MOST_PROBLEMS)))
  for (const { job, runId } of incomplete)
    lines.push(`${job} is incomplete: ${calledAs('callsheet')} runs ${runId} shows each slice`)
  for (const { text, jobs } of errors.values())
    lines.push(...`${jobs.join(', ')}:\n${text}`.split('\n'))
  return lines
}

/** A kind of problem, which may occur in several slices of any jobs and runs. */
interface Told {
  /** The text of the first problem. */
  text: string
  /** Whether all problems of this kind have the same text. */
  same: boolean
  places: string[]
  runIds: Set<number>
}

/** Reports how many kinds of problems are not listed, and which runs list them. */
function unreported(rest: readonly Told[]): string[] {
  if (rest.length === 0) return []
  const runs = new Set(rest.flatMap(({ runIds }) => [...runIds]))
  const where = [...runs].map((id) => `${calledAs('callsheet')} runs ${id}`).join(', ')
  const kinds = rest.length === 1 ? 'kind of problem' : 'kinds of problems'
  return [`${count(rest.length)} more ${kinds}, not listed here: see ${where}`]
}

/** Splits a problem's text into the name of its slice, with which it begins, and the rest. */
function splitProblem(problem: string): { place: string; text: string } {
  const at = problem.indexOf(': ')
  return at < 0
    ? { place: 'all', text: problem }
    : { place: problem.slice(0, at), text: withoutCall(problem.slice(at + 2)) }
}

function problemText({ text, same, places }: Told): string {
  if (same && places.length <= 3) return `${places.join(', ')}: ${text}`
  return `${count(places.length)} times, for example ${places[0]}: ${text}`
}

function anomalyText(table: string, anomalies: number): string {
  return (
    `${table}: ${count(anomalies)} values are missing, broken or of another type than documented; ` +
    'they are kept as received (callsheet.drift lists which)'
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
  { least: { table: 28, state: 10 }, hide: ['run', 'unchanged', 'present', 'slices'] },
)
const MOST_PROBLEMS = 20
