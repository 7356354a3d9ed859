import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import {
  BUSY_WAIT_MS,
  dueOf,
  lookUp,
  lookUpFirst,
  putOff,
  rankOf,
  type State,
  statesOf,
  tryNow,
} from './agenda.ts'
import { type Dispatcher, type DispatcherDeps, placeOf } from './dispatcher.ts'
import type { Offer, Queue } from './queue.ts'

/**
 * Shares the work with all machines that have the same queue. Each of them looks into the ledger for what is
 * due, and offers its place. Whoever takes a place looks again, and does what is due there, one after the
 * other. What a dead machine held is offered again by its queue, and what nobody offered by the next look.
 */
export function dispatchByQueue(queue: Queue, lookSeconds: number): Dispatcher {
  return async (deps, works, signal) => {
    const { clock } = deps
    const states = statesOf(works, clock.now())
    const places = Map.groupBy(states, ({ work }) => placeOf(work))
    await lookUpFirst(deps, states, signal)
    if (!signal.aborted)
      await queue.take(deps.accountsAtOnce, (place, lost) =>
        workAt(deps, places.get(place) ?? [], AbortSignal.any([signal, lost])),
      )
    while (!signal.aborted) {
      deps.beat?.()
      await offerDue(deps, states, queue)
      await clock.sleep(lookSeconds * 1000, signal).catch(() => {})
    }
    await queue.close()
  }
}

/**
 * What is due as far as this machine knows may have been done by another one: the ledger says. What is not
 * due here was done, or waits; no other machine can make it due sooner.
 */
async function offerDue(
  deps: DispatcherDeps,
  states: readonly State[],
  queue: Queue,
): Promise<void> {
  const { clock, observer } = deps
  try {
    const known = dueOf(states, clock.now())
    if (known.length > 0) await lookUp(deps, known)
    const offers = new Map<string, Offer>()
    for (const state of dueOf(known, clock.now())) {
      const place = placeOf(state.work)
      const priority = Math.max(
        -rankOf(state),
        offers.get(place)?.priority ?? Number.NEGATIVE_INFINITY,
      )
      offers.set(place, { place, priority })
    }
    await queue.offer([...offers.values()])
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    observer.event('waiting for the database', { code: error.code, level: 'warn' })
  }
}

/**
 * Does what is due at a place, until nothing is. What yields to other work ends the visit before it, unless
 * it comes first: its place is offered anew, behind what is due elsewhere.
 */
async function workAt(
  deps: DispatcherDeps,
  states: readonly State[],
  signal: AbortSignal,
): Promise<void> {
  if (states.length > 0) await lookUp(deps, states)
  for (let visits = 0; !signal.aborted; visits++) {
    const [next] = dueOf(states, deps.clock.now())
    if (next === undefined || (visits > 0 && next.work.yields === true)) return
    const busy = await tryNow(deps, next, signal)
    // What yields needs no lease. All else would only ask the same of it.
    const laterMs = deps.clock.now() + BUSY_WAIT_MS
    if (busy) for (const state of states) if (state.work.yields !== true) putOff(state, laterMs)
  }
}
