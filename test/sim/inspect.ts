import type { Stream } from '../../src/core/define/stream.ts'
import type { SliceName } from '../../src/sync/ledger/slice-states.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { isWhollyRefused } from '../../src/sync/run-verdict.ts'
import { STRAY_STATES } from '../helpers/slice-states.ts'
import { inspectRows, states } from './inspect-rows.ts'
import { jobsOf, lineageOf, streamsOf } from './planned-jobs.ts'
import type { Running } from './running.ts'
import { streamsSetAside } from './set-aside.ts'
import type { Simulation } from './simulation.ts'

/** A run that calls itself complete has everything that the service held all the while (I3). */
export async function inspect(world: Simulation, running: Running): Promise<void> {
  world.say(`END ${running.process.name} ${running.said()}`)
  await world.oracle.ended()
  for (const result of running.results ?? []) inspectRefusals(world, result)
  await inspectStates(world)
  if (states(world.plan))
    for (const found of await inspectRows(world.place, streamsOf(world.plan)))
      world.violated(`I13 ${found}`)
  const sinceMs = world.chainSinceMs
  world.chainEnded = running.triedAll
  // Where pages are places in a list that goes on changing, a row may slip by unseen until the next reading:
  // what slipped by a run before need not be read again by one that is not full.
  const slippedMs = running.full ? sinceMs : FROM_THE_BEGINNING
  const { service, editedAtMs } = world.source
  if (service.readings.paging === 'live-offset' && editedAtMs >= slippedMs) return
  // A refusal is told once, and the list is asked for again days later: also where that run was not complete.
  for (const text of running.results?.flatMap(({ problems }) => problems) ?? [])
    if (REFUSED.test(text)) world.refused.add(text.split(':')[0] ?? '')
  const complete = running.results?.filter(({ state }) => state === 'complete') ?? []
  const streams = await answeredFor(world, complete)
  // A run that is not full need not look again at what was read before and has changed since.
  const unchangedSinceMs = running.full ? sinceMs : FROM_THE_BEGINNING
  await world.oracle.compare('I3', { streams, settled: () => false, unchangedSinceMs })
}

/** What decides which slices are read again says what the ledger says (I12). */
async function inspectStates(world: Simulation): Promise<void> {
  const { rows } = await world.place.database.monitor.query<SliceName>(STRAY_STATES)
  for (const { stream, slice } of rows)
    world.violated(`I12 ${stream}: the state of ${slice} is not what the ledger says`)
}

/** What is not allowed is told of what is not, and nothing of it is called gone for it. */
function inspectRefusals(world: Simulation, { job, tables, notAllowed }: RunResult): void {
  const streams = jobsOf(world.plan).flatMap((one) => one.streams)
  for (const name of Object.keys(notAllowed)) {
    const stream = streams.find((one) => one.name === name)
    const shut = world.source.shut.has(name)
    if (shut) world.refusals++
    // What belongs to a row that another list no longer shows goes with that row.
    const alone = stream?.sync.kind === 'snapshot' || stream?.sync.kind === 'windows'
    if (alone && (tables[name]?.deleted ?? 0) > 0)
      world.violated(
        `I4 ${name}: ${tables[name]?.deleted ?? 0} called gone by ${job}, which may not read it`,
      )
    if (!shut && world.dice.stopped) world.violated(`I3 ${name}: called not allowed, and it is`)
  }
}

/** The streams of complete runs that have nothing to say against their own tables. */
async function answeredFor(world: Simulation, complete: readonly RunResult[]): Promise<Stream[]> {
  const names = new Set(complete.map(({ job }) => job))
  const streams = jobsOf(world.plan)
    .filter(({ name }) => names.has(name))
    .flatMap((job) => job.streams)
  const setAside = await streamsSetAside(world.place.database.monitor, world.account)
  const notAllowed: Record<string, string> = {}
  for (const result of complete) Object.assign(notAllowed, result.notAllowed)
  return (
    streams
      // Details are those of the rows that are held: where these were not read to their end, no more is told.
      .filter((stream) => lineageOf(stream).every((one) => streams.includes(one)))
      .filter((stream) => lineageOf(stream).every(({ name }) => !setAside.has(name)))
      // A 403 on one board is the board's own: a run says which it could not read, and tries it days later.
      .filter(({ name }) => !world.refused.has(name))
      // One on every list that was asked for is the stream's: the run says that it left the stream out.
      .filter((stream) => !isWhollyRefused([stream], notAllowed))
  )
}

/** The streams that the account may read now, and all that their rows belong to. */
export function openStreams({ plan, source }: Simulation): Stream[] {
  return jobsOf(plan)
    .flatMap((job) => job.streams)
    .filter((stream) => lineageOf(stream).every(({ name }) => !source.shut.has(name)))
}

/** Each list that the account may not read is named by a run that was to read it. */
export function inspectTold(world: Simulation, { results = [] }: Running): void {
  const told = new Set(results.flatMap(({ notAllowed }) => Object.keys(notAllowed)))
  for (const { name, sync } of jobsOf(world.plan).flatMap((job) => job.streams))
    if (sync.kind === 'snapshot' && world.source.shut.has(name) && !told.has(name))
      world.violated(`I3 ${name}: not allowed, and no run says so`)
}

const REFUSED = /not readable for this account/
const FROM_THE_BEGINNING = 1
