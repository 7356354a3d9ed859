import type { LabelStats } from '../api/governor.ts'
import type { RateLabel } from '../core/operation.ts'
import type { RunResult } from '../engine/run-result.ts'
import { count, duration, type Output, type TableRow } from './output.ts'
import { describeError, errorLines } from './print-error.ts'

export interface Ended {
  results: readonly RunResult[]
  labels: Readonly<Record<RateLabel, LabelStats>>
}

/** What people see after a sync: each table's changes, each label's calls, and what needs a look. */
export function printRuns(output: Output, account: string, { results, labels }: Ended): void {
  output.line(`Account ${account}`)
  output.table([
    ['table', 'new', 'changed', 'unchanged', 'gone', 'present', 'slices', 'run', 'state'],
    ...results.flatMap(rowsOf),
  ])
  output.line()
  output.table([
    ['label', 'calls', '429s', 'spent today', 'of'],
    ...Object.entries(labels)
      .filter(([, { requests }]) => requests > 0)
      .map(([label, stats]) => labelRow(label, stats)),
  ])
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

function rowsOf({ tables, slices, runId, state }: RunResult): TableRow[] {
  return Object.entries(tables).map(([table, counts], index) => {
    const read = slices[table]
    return [
      table,
      counts.inserted,
      counts.updated,
      counts.unchanged,
      counts.gone,
      counts.present,
      read === undefined ? '' : `${count(read.complete)}/${count(read.planned)}`,
      index === 0 ? String(runId) : '',
      index === 0 ? state.replaceAll('_', ' ') : '',
    ]
  })
}

function labelRow(label: string, stats: LabelStats): TableRow {
  const { requests, rateLimited, spentToday, dailyLimit } = stats
  const share = dailyLimit === undefined ? undefined : Math.round((spentToday / dailyLimit) * 100)
  const limit = dailyLimit === undefined ? 'no known limit' : `${count(dailyLimit)} (${share} %)`
  return [label, requests, rateLimited, spentToday, limit]
}

/** Errors that several jobs share are said once: a wrong secret is one thing to mend, not five. */
function remarks(results: readonly RunResult[]): string[] {
  const byError = new Map<string, string[]>()
  const lines: string[] = []
  for (const { job, problems, error, braked, runId, tables } of results) {
    const said = error instanceof Error ? error.message : undefined
    if (error !== undefined) {
      const text = errorLines(error, false).join('\n')
      byError.set(text, [...(byError.get(text) ?? []), job])
    }
    for (const problem of problems) if (!said?.includes(problem)) lines.push(`${job}: ${problem}`)
    for (const { stream, missing, owned } of braked)
      lines.push(brakeText(stream, runId, { missing, owned }))
    for (const [table, { quarantined }] of Object.entries(tables))
      if (quarantined > 0)
        lines.push(`${table}: ${count(quarantined)} records without a usable key were set aside`)
  }
  const errors = [...byError].flatMap(([text, jobs]) => [
    `${jobs.join(', ')}:`,
    ...text.split('\n'),
  ])
  return [...lines, ...errors]
}

function brakeText(
  stream: string,
  runId: number,
  { missing, owned }: { missing: number; owned: number },
): string {
  return (
    `${stream}: ${count(missing)} of ${count(owned)} rows are missing, more than the limit; none was marked as gone. ` +
    `If that is right: callsheet sync --release ${runId}`
  )
}
