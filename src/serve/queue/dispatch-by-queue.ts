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
 * Starts each work when it is due, and retries it until it is complete or needs a person, on any number of
 * machines that share a queue. Each machine reads due work from the ledger and queues one message per place.
 * The machine that receives the message reads the ledger again and runs the due work of the place, one after
 * another. The queue redelivers the messages of a machine that died. After the signal no other work starts;
 * the promise resolves when running work has ended, or after some seconds (see `Queue.close`).
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
        work.kind === undefined && startMs <= clock.now() && !atWork.has(queuePlace(work)),
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

/** Queues due work. Reads the ledger again first, because another machine may have run it. */
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

/** Returns the milliseconds until the next work is due, at most `LOOK_MS`. */
function untilNext(states: readonly State[], nowMs: number): number {
  let nextMs = nowMs + LOOK_MS
  for (const { startMs } of states) if (startMs > nowMs && startMs < nextMs) nextMs = startMs
  return nextMs - nowMs
}

/** Waits, or returns early when the signal aborts. */
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
  /** Whether a due job of another place waits for a slot, as far as this machine knows. */
  isAwaited(): boolean
}

/**
 * Runs all due work of a place. Before a further report or task, it releases the slot if a job of another
 * place waits; the place is then queued again behind that job.
 */
async function workAt(
  deps: DispatcherDeps,
  { states, isAwaited }: Visit,
  signal: AbortSignal,
): Promise<void> {
  await lookUp(deps, states)
  for (let visits = 0; !signal.aborted; visits++) {
    const [next] = dueInOrder(states, deps.clock.now())
    if (next === undefined || (visits > 0 && next.work.kind !== undefined && isAwaited())) return
    const busy = await tryNow(deps, next, signal)
    // All jobs of the account need this lease, so all of them wait.
    const laterMs = deps.clock.now() + BUSY_WAIT_MS
    if (busy) for (const state of states) if (state.work.kind === undefined) putOff(state, laterMs)
  }
}

/**
 * The longest time between two looks for due work. It is short, because a machine may die or sleep with
 * unfinished work, and the wall clock may jump. After the first look, a look reads only due work again.
 */
const LOOK_MS = 15_000
