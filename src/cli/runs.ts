import type { Command } from 'commander'
import { chooseAccounts } from '../account/choose.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import { ConfigurationError } from '../core/errors.ts'
import { toMinutes } from '../core/time/time.ts'
import { counted, duration } from '../core/values/quantities.ts'
import { otherProblems } from '../serve/health/problems.ts'
import type { FoundRun, RunRecord, SliceRecord } from '../serve/health/read-runs.ts'
import { accountOfRun } from './frame/account-of-run.ts'
import { calledAs } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner, wholeNumber } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { type Output, printFacts } from './frame/output.ts'
import { groupLines, groupProblems, type ProblemRun } from './frame/problem-lines.ts'
import { heading, type TableRow } from './frame/table.ts'

interface RunsOptions extends CommonOptions {
  account?: string
  limit: number
}

export function runsCommand(run: Runner): Command {
  return defineCommand('runs', 'List recent runs, or show one in detail', [
    'runs',
    'runs 42',
    'runs --account main --limit 100 --json',
  ])
    .argument('[id]', 'run number', wholeNumber)
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('-n, --limit <count>', 'maximum number of runs', wholeNumber, 20)
    .action((id: number | undefined, options: RunsOptions) =>
      run(options, (context) => showRuns(context, id, options), {
        databases: id === undefined ? 'each' : 'one',
      }),
    )
}

export async function showRuns(
  context: Context,
  id: number | undefined,
  options: RunsOptions,
): Promise<number> {
  const { config } = await context.loadConfig()
  if (options.account !== undefined) chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: false }, async (opened) =>
    id === undefined
      ? await list(context, opened, options)
      : await detail(context, opened, { id, account: options.account }),
  )
}

async function list(
  { output }: Context,
  { warehouse }: OpenWarehouse,
  { account, limit }: RunsOptions,
): Promise<number> {
  const { readRuns } = await import('../serve/health/read-runs.ts')
  const accounts = account === undefined ? undefined : [account]
  const runs = await readRuns(warehouse, { accounts, limit })
  output.table([RUN_HEADING, ...runs.map(runRow)])
  if (runs.length === 0) output.line(`No runs yet. Start one: ${calledAs('callsheet')} sync`)
  output.result({ runs })
  return 0
}

async function detail(
  { output }: Context,
  { warehouse }: OpenWarehouse,
  { id, account }: { id: number; account: string | undefined },
): Promise<number> {
  const { accountsOfRun, readRun } = await import('../serve/health/read-runs.ts')
  const accounts = account === undefined ? await accountsOfRun(warehouse, id) : [account]
  const own = accountOfRun(accounts, { run: id, command: `runs ${id}` })
  const found = own === undefined ? undefined : await readRun(warehouse, { account: own, id })
  if (found === undefined)
    throw new ConfigurationError('unknown_run', {
      tried: `Looking for run ${id}`,
      came: 'there is no run with this number',
      todo: 'run callsheet runs to list the newest runs',
    })
  const { run, slices, sliceCount, keptFrom } = found
  printRun(output, run, otherProblems(found))
  if (slices.length > 0) output.table([SLICE_HEADING, ...slices.map(sliceRow)])
  if (sliceCount > slices.length)
    output.line(`... ${counted(sliceCount - slices.length, 'more slice')}`)
  for (const line of errorsOf(found)) output.line(line)
  if (keptFrom !== undefined)
    output.note(
      `Details and slices of runs before ${keptFrom.slice(0, 10)} are no longer kept ` +
        '(ledger.keepMonths), except the last reading of each slice.',
    )
  output.result({ run, slices, sliceCount, ...(keptFrom === undefined ? {} : { keptFrom }) })
  return 0
}

function printRun(output: Output, run: RunRecord, problems: readonly string[]): void {
  const { range } = run.summary
  printFacts(output, [
    ['run', String(run.id)],
    ['account', run.account],
    ['job', jobText(run)],
    ...(range === undefined ? [] : [['days', `${range.from} to ${range.to}`] as const]),
    ['state', stateText(run)],
    ['started', instant(run.startedAt)],
    ['finished', run.finishedAt === undefined ? 'not yet' : instant(run.finishedAt)],
    ['error', run.error],
  ])
  for (const problem of problems) output.line(`  ${problem}`)
  output.line()
}

/** Returns lines about the slices' errors. Errors with the same cause and remedy are reported once. */
function errorsOf({ run, slices }: Pick<FoundRun, 'run' | 'slices'>): string[] {
  const problems = slices.flatMap(({ stream, slice, error }) =>
    error === undefined ? [] : [`${stream} ${slice}: ${error}`],
  )
  const runs: ProblemRun[] = [{ ...run.summary, runId: run.id, problems }]
  return groupProblems(runs).flatMap((group) => groupLines(group, runs))
}

/** Returns the run's state, or the number of findings of a verification that has any. */
function stateText({ state, summary: { findings = 0 } }: RunRecord): string {
  return findings > 0 ? counted(findings, 'finding') : state.replaceAll('_', ' ')
}

function jobText({ job, partial }: RunRecord): string {
  return partial ? `${job} (partial)` : job
}

function instant(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`
}

export const RUN_HEADING = heading(
  ['run', 'account', 'job', 'state', 'started (UTC)', 'time', 'new', 'changed', 'deleted'],
  { least: { account: 16, job: 14, state: 10 }, hide: ['deleted', 'changed', 'time', 'new'] },
)

export const SLICE_HEADING = heading(
  ['table', 'slice', 'state', 'pages', 'received', 'new', 'changed', 'deleted', 'service says'],
  {
    least: { table: 16, slice: 21, state: 11 },
    hide: ['service says', 'pages', 'deleted', 'changed', 'new', 'received'],
  },
)

function runRow(run: RunRecord): TableRow {
  const tables = Object.values(run.summary.tables ?? {})
  const sum = (field: 'inserted' | 'updated' | 'deleted'): number =>
    tables.reduce((total, table) => total + table[field], 0)
  const tookMs =
    run.finishedAt === undefined
      ? undefined
      : Date.parse(run.finishedAt) - Date.parse(run.startedAt)
  return [
    String(run.id),
    run.account,
    jobText(run),
    stateText(run),
    toMinutes(run.startedAt),
    tookMs === undefined ? '' : duration(tookMs),
    sum('inserted'),
    sum('updated'),
    sum('deleted'),
  ]
}

function sliceRow(slice: SliceRecord): TableRow {
  const state = slice.state.replaceAll('_', ' ')
  return [
    slice.stream,
    slice.slice,
    state,
    slice.pages,
    slice.received,
    slice.inserted,
    slice.updated,
    slice.deleted,
    slice.serviceTotal ?? '',
  ]
}
