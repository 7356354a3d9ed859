import type { Clock } from '../../core/time/clock.ts'
import { whenAborted } from '../../core/waiting.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import {
  BUSY_WAIT_MS,
  dueInOrder,
  lookUp,
  putOff,
  type State,
  startRank,
  statesOf,
  tryNow,
} from './agenda.ts'
import { type DispatcherDeps, queuePlace, type Work } from './dispatcher.ts'
import type { Offer } from './queue.ts'

/**
 * Starts each work when it is due, and again until it is done, on one machine or beside others that have the
 * same queue. Each of them looks into the ledger for what is due, and offers its place. Whoever takes a place
 * looks again, and does what is due there, one after the other. What a dead machine held is offered again by
 * its queue, and what nobody offered by the next look. When the signal comes nothing more starts, and the
 * promise resolves once all running work has ended.
 */
export async function dispatchByQueue(
  deps: DispatcherDeps,
  works: readonly Work[],
  signal: AbortSignal,
): Promise<void> {
  const { clock, queue } = deps
  const states = statesOf(works, clock.now())
  const places = Map.groupBy(states, ({ work }) => queuePlace(work))
  const atWork = new Set<string>()
  const isAwaited = (): boolean =>
    states.some(
      ({ work, startMs }) =>
        work.yields !== true && startMs <= clock.now() && !atWork.has(queuePlace(work)),
    )
  await queue.take(deps.accountsAtOnce, async (place, lost) => {
    atWork.add(place)
    const visit = { states: places.get(place) ?? [], isAwaited }
    await workAt(deps, visit, AbortSignal.any([signal, lost])).finally(() => atWork.delete(place))
  })
  let hasLooked = false
  while (!signal.aborted) {
    deps.beat?.()
    try {
      await offerDue(deps, hasLooked ? dueInOrder(states, clock.now()) : states)
      hasLooked = true
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      deps.observer.event('waiting for the database', { code: error.code, level: 'warn' })
    }
    await rest(clock, untilNext(states, clock.now()), signal)
  }
  await queue.close()
}

/**
 * What is due as far as this machine knows may have been done by another one: the ledger says. What is not
 * due here was done, or waits; no other machine can make it due sooner.
 */
async function offerDue(deps: DispatcherDeps, known: readonly State[]): Promise<void> {
  await lookUp(deps, known)
  const offers = new Map<string, Offer>()
  for (const state of dueInOrder(known, deps.clock.now())) {
    const place = queuePlace(state.work)
    const before = offers.get(place)?.priority ?? Number.NEGATIVE_INFINITY
    offers.set(place, { place, priority: Math.max(-startRank(state), before) })
  }
  await deps.queue.offer([...offers.values()])
}

/** How long until something else is due here, at most until the next look. */
function untilNext(states: readonly State[], nowMs: number): number {
  let nextMs = nowMs + LOOK_MS
  for (const { startMs } of states) if (startMs > nowMs && startMs < nextMs) nextMs = startMs
  return nextMs - nowMs
}

/** Waits so long, or until the signal comes. */
async function rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = clock.alarm(ms, resolve)
  const forget = whenAborted(signal, resolve)
  await promise
  cancel()
  forget()
}

interface Visit {
  /** The works of the place. */
  states: readonly State[]
  /** Whether other work that is due waits for a slot, as far as this machine knows. */
  isAwaited(): boolean
}

/**
 * Does what is due at a place, until nothing is. What yields to other work ends the visit while such work
 * waits, unless it comes first: its place is offered anew, behind what is due elsewhere.
 */
async function workAt(
  deps: DispatcherDeps,
  { states, isAwaited }: Visit,
  signal: AbortSignal,
): Promise<void> {
  await lookUp(deps, states)
  for (let visits = 0; !signal.aborted; visits++) {
    const [next] = dueInOrder(states, deps.clock.now())
    if (next === undefined || (visits > 0 && next.work.yields === true && isAwaited())) return
    const busy = await tryNow(deps, next, signal)
    // What yields needs no lease. All else would only ask the same of it.
    const laterMs = deps.clock.now() + BUSY_WAIT_MS
    if (busy) for (const state of states) if (state.work.yields !== true) putOff(state, laterMs)
  }
}

/**
 * Work may be left by a machine that died or went to sleep, and the wall clock may jump. A look asks for what
 * is due alone, so a quarter of a minute is no burden for the ledger and no wait that anybody notices.
 */
const LOOK_MS = 15_000
