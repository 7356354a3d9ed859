import type { Clock } from '../../core/time/clock.ts'
import { whenAborted } from '../../core/when-aborted.ts'
import { dueOf, LONGEST_SLEEP_MS, lookUpFirst, statesOf, tryNow } from './agenda.ts'
import { type Dispatcher, placeOf } from './dispatcher.ts'

/** Keeps the due times in this process, which is alone in doing so. */
export const dispatchHere: Dispatcher = async (deps, works, signal) => {
  const { clock } = deps
  const states = statesOf(works, clock.now())
  await lookUpFirst(deps, states, signal)
  const waker = createWaker()
  const atWork = new Map<string, Promise<unknown>>()
  const stopListening = whenAborted(signal, waker.wake)
  while (!signal.aborted) {
    deps.beat?.()
    const nowMs = clock.now()
    for (const state of dueOf(states, nowMs)) {
      const place = placeOf(state.work)
      if (atWork.size >= deps.accountsAtOnce || atWork.has(place)) continue
      const ended = tryNow(deps, state, signal).finally(() => {
        atWork.delete(place)
        waker.wake()
      })
      atWork.set(place, ended)
    }
    const isFull = atWork.size >= deps.accountsAtOnce
    const free = isFull ? [] : states.filter(({ work }) => !atWork.has(placeOf(work)))
    const startMs = Math.min(...free.map(({ startMs: ms }) => ms))
    await waker.sleep(clock, Math.min(LONGEST_SLEEP_MS, Math.max(0, startMs - nowMs)))
  }
  stopListening()
  await Promise.all(atWork.values())
}

/** A sleep that `wake` ends early. */
function createWaker() {
  let { promise, resolve } = Promise.withResolvers<void>()
  return {
    wake: () => resolve(),
    async sleep(clock: Clock, ms: number): Promise<void> {
      const cancel = clock.alarm(ms, resolve)
      await promise
      cancel()
      ;({ promise, resolve } = Promise.withResolvers<void>())
    },
  }
}
