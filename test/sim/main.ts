import { openJournal } from './journal.ts'
import { simOptions } from './options.ts'
import { drawPlan, type Plan } from './plan.ts'
import { startPostgres } from './postgres.ts'
import { regressions, rememberRegression } from './regressions.ts'
import { runPlans } from './run-plans.ts'
import { Tally } from './tally.ts'
import { printPlanted, tryPlanted } from './try-planted.ts'

const options = simOptions()
/** Of so many seeds one at least goes through all of each job. */
const SEEDS_TO_A_JOB = 100
const server = await startPostgres()
try {
  if (options.planted === true) await lookForPlanted()
  else if (options.seed === undefined) await runMany()
  else await replay(options.seed)
} finally {
  await server.stop()
}

async function lookForPlanted(): Promise<void> {
  const results = await tryPlanted({
    serverUrl: server.url,
    workers: options.workers,
    only: options.only,
    most: options.seeds,
    told: ({ name, caughtBy, tried }) =>
      process.stderr.write(`${name}: seed ${caughtBy ?? 'none'}, ${tried} tried\n`),
  })
  process.stdout.write(`${printPlanted(results)}\n`)
  if (results.some(({ caughtBy }) => caughtBy === undefined)) process.exitCode = 1
}

async function runMany(): Promise<void> {
  const { seeds, from: first, batchRows: rows } = options
  const old = regressions()
  const plans = [...old, ...Array.from({ length: seeds }, (_, at) => planOf(first + at))]
  const tally = new Tally()
  const journal =
    options.journal === undefined
      ? undefined
      : openJournal(options.journal, { seeds, first, kept: old.length, rows })
  for (const report of journal?.done.values() ?? []) tally.add(report)
  const before = tally.seeds
  const left = [...plans.keys()].filter((at) => journal?.done.has(at) !== true)
  const startedMs = performance.now()
  await runPlans({
    serverUrl: server.url,
    name: 'sim',
    plans: left.map((at) => plans[at] as Plan),
    workers: options.workers,
    shrink: true,
    minutes: options.minutes,
    heard(report, at) {
      journal?.add(left[at] as number, report)
      tally.add(report)
      if (report.violations.length > 0) tellFailure(report)
      if (tally.seeds % 100 === 0) process.stderr.write(`${tally.seeds} of ${plans.length}\n`)
    },
  })
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1)
  process.stdout.write(`${tally.print()}\n${tally.printFaults()}\n${tally.printJobs()}\n`)
  process.stdout.write(`  ${old.length} of them failed once and are kept; ${minutes} minutes\n`)
  if (before > 0) process.stdout.write(`  ${before} of them by runs of the same code before\n`)
  if (tally.seeds < plans.length)
    process.stdout.write(
      `  the time given was over after ${tally.seeds} of ${plans.length} seeds\n`,
    )
  const floor = Math.floor(tally.seeds / SEEDS_TO_A_JOB)
  const seldom = [...tally.jobsTooSeldom(floor), ...tally.tooSeldom(Math.min(1, floor))]
  for (const name of seldom) process.stdout.write(`  ${name}: too seldom to prove anything\n`)
  const failed = tally.failed.length + seldom.length > 0
  if (failed || tally.seeds !== plans.length) process.exitCode = 1
}

function tellFailure({ seed: failed, violations, smallest }: Parameters<Tally['add']>[0]): void {
  process.stdout.write(`seed ${failed}: ${violations.slice(0, 3).join('\n  ')}\n`)
  if (smallest === undefined) return
  rememberRegression(smallest, violations[0] ?? '')
  process.stdout.write(`  smallest: ${JSON.stringify(smallest)}\n`)
}

function planOf(number: number): Plan {
  const { batchRows } = options
  return { ...drawPlan(number), ...(batchRows === undefined ? {} : { batchRows }) }
}

async function replay(one: number): Promise<void> {
  await runPlans({
    serverUrl: server.url,
    name: 'sim',
    plans: [planOf(one)],
    workers: 1,
    trace: options.trace === true,
    heard({ trace = [], traceHash, violations }) {
      if (options.trace === true) process.stdout.write(`${trace.join('\n')}\n`)
      process.stdout.write(`seed ${one}: trace ${traceHash}\n`)
      for (const violation of violations) process.stdout.write(`  ${violation}\n`)
      if (violations.length > 0) process.exitCode = 1
    },
  })
}
