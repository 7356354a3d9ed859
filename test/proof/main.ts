import { wholeNumber } from '../../src/cli/frame/command.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { TEMPLATE } from '../helpers/database-url.ts'
import { makeTemplate } from '../helpers/make-template.ts'
import { startThrowawayServer } from '../helpers/throwaway-server.ts'
import { toolCommand } from '../helpers/tool-command.ts'
import { type CrashSummary, crashLane } from './crash/lane.ts'
import { type KillSummary, killLane } from './kill/lane.ts'
import { type MachineSummary, machinesLane } from './machines/lane.ts'
import { type OlderSummary, olderLane } from './older/lane.ts'
import { type PoolerSummary, poolerLane } from './pooler/lane.ts'
import { runTests } from './run-tests.ts'
import { type SocketSummary, socketLane } from './sockets/lane.ts'
import type { Server } from './stage.ts'

/**
 * `npm run proof`: kills, crashes and real sockets at full size, and a table of what they came to. Ends with
 * 1 on any violation, and when less was done than promised.
 */
interface Sizes {
  points: number
  crashes: number
  seeds: number
  accounts: number
}

interface Lane {
  rows: [string, string | number][]
  violations: string[]
}

const { seed, ...sizes } = proofOptions()

const lanes: Lane[] = [
  await timed('whole', async () => whole()),
  await timed('killed', () => onServer(async (server) => killed(await kill(server)))),
  await timed('crashed', async () => crashed(await crashLane({ seed, crashes: sizes.crashes }))),
  await timed('older', async () => older(olderLane())),
  await timed('pooler', () => onServer(async (server) => pooled(await poolerLane(server)))),
  await timed('machines', () => onServer(async (server) => shared(await share(server)))),
  await timed('sockets', () => onServer(async (server) => troubled(await trouble(server)))),
]
const rows = lanes.flatMap((lane) => lane.rows)
const violations = lanes.flatMap((lane) => lane.violations)
const width = Math.max(...rows.map(([name]) => name.length))
const told = [...rows, ['violations', violations.length] as const]
for (const [name, value] of told) process.stdout.write(`${name.padEnd(width)}  ${value}\n`)
for (const violation of violations.slice(0, 50))
  process.stdout.write(`  ${violation.slice(0, 500)}\n`)
process.exitCode = violations.length === 0 ? 0 : 1

function proofOptions(): Sizes & { seed: number } {
  const about =
    'Kills, crashes, machines and sockets at full size; ends with 1 on any violation, or when less was done'
  return toolCommand('npm run proof --', about, [
    'npm run proof',
    'npm run proof -- --points 50 --crashes 5 --seeds 10 --accounts 20',
  ])
    .option('--points <n>', 'how many hits of named points are killed', wholeNumber, 1000)
    .option('--crashes <n>', 'how many crashes of Postgres', wholeNumber, 100)
    .option('--seeds <n>', 'how many seeds over real sockets', wholeNumber, 200)
    .option('--accounts <n>', 'how many accounts machines share', wholeNumber, 200)
    .option('--seed <n>', 'what all is drawn from', wholeNumber, 1)
    .parse()
    .opts()
}

/** The lanes with all that a push leaves out. */
function whole(): Lane {
  const { passed, failed } = runTests('lanes', { env: { CALLSHEET_PROOF: 'whole' } })
  return { rows: [['tests of the lanes', passed]], violations: failed }
}

function kill(server: Server): Promise<KillSummary> {
  return killLane(server, { seed, points: sizes.points, doubleEvery: 8, atOnce: 2 })
}

function trouble(server: Server): Promise<SocketSummary> {
  const floor = Math.floor(sizes.seeds / 10)
  return socketLane(server, { firstSeed: seed, seeds: sizes.seeds, floor, atOnce: 2 })
}

/** Machines stand still and are cut off for two minutes each. */
function share(server: Server): Promise<MachineSummary> {
  const plan = { seed, accounts: sizes.accounts, everyMinutes: 5, rounds: 3 }
  const program = new URL('../../src/cli/main.ts', import.meta.url).pathname
  const times = { troubleMs: 120_000, calmMs: 60_000, patienceMs: 600_000 }
  return machinesLane(server, program, { ...plan, ...times })
}

function shared({ violations: found, seconds: _seconds, ...summary }: MachineSummary): Lane {
  return {
    rows: [
      ['machines that share the work', summary.machines],
      ['jobs of accounts, due every 5 minutes', summary.due],
      ['times that a job was done', summary.doneInAll],
      ['of the jobs, done when all was over', summary.done],
      ['machines killed', summary.killed],
      ['machines that stood still for 2 minutes', summary.stopped],
      ['machines cut from the database for 2 minutes', summary.cut],
      ['runs that ended before they were done', summary.interrupted],
    ],
    violations: found,
  }
}

function killed(summary: KillSummary): Lane {
  const { violations: found, namesElsewhere, namesMissed, scenariosMissed } = summary
  const elsewhere = Object.entries(namesElsewhere)
  const fewer = summary.killed < sizes.points ? [`only ${summary.killed} points were killed`] : []
  return {
    rows: [
      ['names of points', summary.names],
      ['names killed', summary.namesKilled],
      ['names of other lanes', elsewhere.reduce((sum, [, names]) => sum + names, 0)],
      ...elsewhere.map(([kind, names]): [string, number] => [`  ${kind}`, names]),
      ['hits listed by the traces', summary.listed],
      ['hits killed', summary.killed],
      ['of these, over details, settings, boards', summary.killedFurther],
      ['of these, the recovery killed too', summary.killedTwice],
      ['recovered', summary.recovered],
      ['hits that did not come a second time', summary.missed],
    ],
    violations: [
      ...found,
      ...fewer,
      ...namesMissed.map((name) => `nobody died at ${name}`),
      ...scenariosMissed.map((name) => `nobody died in ${name}`),
    ],
  }
}

function crashed(summary: CrashSummary): Lane {
  return {
    rows: [
      ['crashes of Postgres', summary.crashes],
      ['syncs that outlived theirs', summary.wentOn],
      ['syncs that were run again', summary.runAgain],
      ['commits acknowledged', summary.acked],
      ['commits without an answer', summary.ambiguous],
    ],
    violations: summary.violations,
  }
}

function troubled(summary: SocketSummary): Lane {
  const few = summary.belowFloor.map((text) => `too few: ${text}`)
  return {
    rows: [
      ['seeds over real sockets', summary.seeds],
      ['runs of all jobs in them', summary.runs],
      ...Object.entries(summary.faults).map(([name, times]): [string, number] => [
        `  ${name}`,
        times,
      ]),
    ],
    violations: [...summary.violations, ...few],
  }
}

/** What was not run has shown nothing, and is never called passed. */
function pooled(summary: PoolerSummary | undefined): Lane {
  if (summary === undefined)
    return { rows: [['ways through PgBouncer', 'NOT RUN: there is no pgbouncer']], violations: [] }
  const { version, ways, violations: found } = summary
  return { rows: [[`ways through ${version}`, ways]], violations: found }
}

function older(summary: OlderSummary | undefined): Lane {
  if (summary === undefined)
    return {
      rows: [['tests against Postgres 15', 'NOT RUN: there is no postgresql-15']],
      violations: [],
    }
  return {
    rows: [[`tests against ${summary.version}`, summary.passed]],
    violations: summary.violations,
  }
}

async function timed(name: string, lane: () => Promise<Lane>): Promise<Lane> {
  const startedMs = systemClock.elapsed()
  const { rows: own, violations: found } = await lane()
  const seconds = Math.round((systemClock.elapsed() - startedMs) / 1000)
  process.stderr.write(`${name}: ${seconds} s, ${found.length} violations\n`)
  return { rows: [...own, [`seconds (${name})`, seconds]], violations: found }
}

async function onServer<T>(work: (server: Server) => Promise<T>): Promise<T> {
  const server = await startThrowawayServer()
  try {
    await makeTemplate(server.url)
    return await work({ url: server.url, template: TEMPLATE })
  } finally {
    await server.stop()
  }
}
