import { createHash } from 'node:crypto'
import type { Stream } from '../../src/core/define/stream.ts'
import { inspect, inspectTold, openStreams } from './inspect.ts'
import { stateFromHere, states } from './inspect-rows.ts'
import { type Place, Shown } from './place.ts'
import type { FaultClass, Plan } from './plan.ts'
import { lineageOf } from './planned-jobs.ts'
import type { Running } from './running.ts'
import { START } from './seed-data.ts'
import { streamsWaiting } from './set-aside.ts'
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
  jobs: string[]
  /** By stream, how many rows were checked at their commit. */
  checked: Record<string, number>
  /** How often a stream was told to be not allowed that was not. */
  refusals: number
  crashes: number
  pauses: number
  /** Readings of the documents that were not as usual. */
  readings: number
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
    if (states(plan)) await stateFromHere(place)
    await attempts(world)
    if (await heal(world)) await night(world)
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
async function heal(world: Simulation): Promise<boolean> {
  world.dice.stopped = true
  world.beginAttempt(world.plan.attempts)
  for (let round = 0; ; round++) {
    const healer = await runOne(world, `heal-${round}`, { waits: true, full: true })
    // A run that goes on with one that was cut off need not know of what was edited since that one began.
    const { editedAtMs, allowedAtMs } = world.source
    if (isWell(world, healer) && Math.max(editedAtMs, allowedAtMs) < world.chainSinceMs) {
      inspectTold(world, healer)
      break
    }
    if (round === MOST_ROUNDS) {
      world.violated(`I9 no green run: ${healer.said()}`)
      return false
    }
    await world.advance((round < 2 ? 2 : 25) * HOUR_MS)
  }
  const streams = openStreams(world)
  const waiting = await compareSettled(world)
  if (waiting.size === 0 && world.plan.seed % CONFIRMED_OF !== 0) return true
  await world.advance(2 * HOUR_MS)
  const confirming = await runOne(world, 'confirm', { full: true })
  if (!isWell(world, confirming))
    world.violated(`I9 not green without a fault: ${confirming.said()}`)
  for (const { tables } of confirming.results ?? [])
    for (const [stream, { inserted, updated }] of Object.entries(tables))
      if (inserted + updated > 0)
        world.violated(`I1 ${stream}: ${inserted} + ${updated} rows written of nothing new`)
  await world.oracle.compare('I1', { streams })
  return true
}

/** A run that is not full finds all that its lists show, and what only the details tell of that. */
async function night(world: Simulation): Promise<void> {
  if (world.plan.mix?.night !== true) return
  await world.advance(26 * HOUR_MS)
  world.source.editForNight()
  const nightly = await runOne(world, 'night', {})
  if (!isWell(world, nightly))
    world.violated(`I9 not green in an ordinary night: ${nightly.said()}`)
  await compareSettled(world)
}

/** The tables but for rows that wait for a second reading, and which streams have such. */
async function compareSettled(world: Simulation): Promise<ReadonlySet<string>> {
  const waiting = await streamsWaiting(world.place.database.monitor, world.account)
  const settled = (stream: Stream): boolean =>
    lineageOf(stream).every(({ name }) => !waiting.has(name))
  await world.oracle.compare('I1', { streams: openStreams(world), settled })
  return waiting
}

/** What was read before and is not allowed for good leaves a run incomplete until a person settles it. */
function isWell({ source: { shut } }: Simulation, { green, results }: Running): boolean {
  if (green) return true
  const isOfShut = (text: string): boolean => shut.has(text.split(/[: ]/)[0] ?? '')
  return (
    results?.every(
      ({ state, problems, slices, trippedGuards, error }) =>
        state === 'complete' ||
        (state === 'incomplete' &&
          error === undefined &&
          trippedGuards.length === 0 &&
          problems.length > 0 &&
          problems.every(isOfShut) &&
          Object.entries(slices).every(
            ([name, of]) => of.planned === of.complete || shut.has(name),
          )),
    ) === true
  )
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
    jobs: plan.jobs,
    checked: oracle.checked,
    refusals: world.refusals,
    crashes: world.crashes,
    pauses: world.pauses,
    readings: Object.keys(plan.readings ?? {}).length,
    longLists: politeness.longLists(),
    edits: world.source.edits,
    virtualMs: world.time.nowMs - Date.parse(START),
  }
}

/** One seed of so many reads all once more, to see that nothing is written then. */
const CONFIRMED_OF = 3
const HOUR_MS = 3_600_000
const MOST_ROUNDS = 5
