import { createHash } from 'node:crypto'
import { isWhollyRefused } from '../../src/engine/refusals.ts'
import { START } from './company.ts'
import type { FaultClass, Plan } from './plan.ts'
import { jobsOf } from './planned-jobs.ts'
import type { Running } from './running.ts'
import { type Place, Shown } from './place.ts'
import { Simulation } from './simulation.ts'
import { Stuck, type VirtualTime } from './virtual-time.ts'

export interface Outcome {
  seed: number
  violations: string[]
  traceHash: string
  trace: string[]
  fired: Partial<Record<FaultClass, number>>
  requests: number
  commits: number
  rowsChecked: number
  crashes: number
  pauses: number
  /** By kind of list, how many lists of four pages and more were read. */
  longLists: Record<string, number>
  edits: number
  virtualMs: number
}

/**
 * Goes through a plan and says what did not hold. The same plan gives the same outcome, trace and all. The
 * time must rule this process already, and goes on from where the plan before left it.
 */
export async function simulate(plan: Plan, time: VirtualTime, place: Place): Promise<Outcome> {
  time.restart(Date.parse(START))
  const world = new Simulation(plan, time, place)
  // In a process of its own this would have been its end, in the middle of everything.
  const unheard = (reason: unknown): void => {
    const words = String(reason).replaceAll(/\d+/g, '#')
    world.violated(`X8 a failure that nobody hears: ${words}`)
  }
  process.on('unhandledRejection', unheard)
  try {
    await attempts(world)
    await heal(world)
  } catch (error) {
    if (error instanceof Stuck) world.violated(`I9 ${error.message}`)
    else if (!(error instanceof Shown)) throw error
  } finally {
    await world.close()
    process.off('unhandledRejection', unheard)
  }
  return outcomeOf(world)
}

/** Syncs under faults, each by a process that may die or sleep, with a rival that wants the same account. */
async function attempts(world: Simulation): Promise<void> {
  for (let attempt = 0; attempt < world.plan.attempts; attempt++) {
    world.beginAttempt(attempt)
    const all = [world.spawn(`first-${attempt}`, { mishap: true })]
    if (world.plan.rival) all.push(world.spawn(`rival-${attempt}`, { waits: true }))
    await world.until(() => all.every(({ process }) => process.over))
    for (const one of all) await inspect(world, one)
    await world.advance((attempt === 0 ? 3 : 26) * HOUR_MS)
  }
}

/** Without faults the account must come to be what the service shows, and then nothing may be written. */
async function heal(world: Simulation): Promise<void> {
  world.dice.stopped = true
  world.beginAttempt(world.plan.attempts)
  for (let round = 0; ; round++) {
    const healer = await runOne(world, `heal-${round}`, { waits: true, full: true })
    // A run that goes on with one that was cut off need not know of what was edited since that one began.
    if (healer.green && world.editedAtMs < world.chainSinceMs) break
    if (round === MOST_ROUNDS) return world.violated(`I9 no green run: ${healer.said()}`)
    await world.advance((round < 2 ? 2 : 25) * HOUR_MS)
  }
  // What is missing of the reports waits an hour for its second reading.
  await world.oracle.compare('I1', { settled: ({ name }) => name !== 'session_reports' })
  const { plan, removedReports } = world
  if (!removedReports && plan.seed % CONFIRMED_OF !== 0) return
  await world.advance(2 * HOUR_MS)
  const confirming = await runOne(world, 'confirm', { full: true })
  if (!confirming.green) world.violated(`I9 not green without a fault: ${confirming.said()}`)
  for (const { tables } of confirming.results ?? [])
    for (const [stream, { inserted, updated }] of Object.entries(tables))
      if (inserted + updated > 0)
        world.violated(`I1 ${stream}: ${inserted} + ${updated} rows written of nothing new`)
  await world.oracle.compare('I1')
}

async function runOne(
  world: Simulation,
  name: string,
  options: { waits?: boolean; full?: boolean },
): Promise<Running> {
  const running = world.spawn(name, options)
  await world.until(() => running.process.over)
  await inspect(world, running)
  return running
}

/** A run that calls itself complete has everything that the service held all the while (I3). */
async function inspect(world: Simulation, running: Running): Promise<void> {
  world.say(`END ${running.process.name} ${running.said()}`)
  await world.oracle.committed()
  const sinceMs = world.chainSinceMs
  world.chainEnded = running.triedAll
  // Where pages are places in a list that goes on changing, a row may slip by unseen until the next reading:
  // what slipped by a run before need not be read again by one that is not full.
  const slippedMs = running.full ? sinceMs : FROM_THE_BEGINNING
  if (world.service.habits.paging === 'live-offset' && world.editedAtMs >= slippedMs) return
  const complete = running.results?.filter(({ state }) => state === 'complete') ?? []
  const names = new Set(complete.map(({ job }) => job))
  const jobs = jobsOf(world.plan).filter(({ name }) => names.has(name))
  const accountedFor = await world.oracle.quarantined()
  for (const text of complete.flatMap(({ problems }) => problems))
    if (REFUSED.test(text)) world.refused.add(text.split(':')[0] ?? '')
  const notAllowed: Record<string, string> = {}
  for (const result of complete) Object.assign(notAllowed, result.notAllowed)
  const streams = jobs
    .flatMap((job) => job.streams)
    .filter((stream) => !accountedFor(stream))
    // A 403 on one board is the board's own: a run says which it could not read, and tries it days later.
    .filter(({ name }) => !world.refused.has(name))
    // One on every list that was asked for is the stream's: the run says that it left the stream out.
    .filter((stream) => !isWhollyRefused([stream], notAllowed))
  // A run that is not full need not look again at what was read before and has changed since.
  const unchangedSinceMs = running.full ? sinceMs : FROM_THE_BEGINNING
  await world.oracle.compare('I3', { streams, settled: () => false, unchangedSinceMs })
}

function outcomeOf(world: Simulation): Outcome {
  const { oracle, politeness, trace, plan, dice } = world
  return {
    seed: plan.seed,
    violations: world.allViolations(),
    traceHash: createHash('sha256').update(trace.join('\n')).digest('hex'),
    trace,
    fired: dice.fired,
    requests: politeness.requests,
    commits: oracle.commits,
    rowsChecked: oracle.rowsChecked,
    crashes: world.crashes,
    pauses: world.pauses,
    longLists: politeness.longLists(),
    edits: world.edits,
    virtualMs: world.time.nowMs - Date.parse(START),
  }
}

/** One seed of so many reads all once more, to see that nothing is written then. */
const CONFIRMED_OF = 3
const REFUSED = /not for us to read/
const FROM_THE_BEGINNING = 1
const HOUR_MS = 3_600_000
const MOST_ROUNDS = 5
