import type { Queue, TakePlace } from '../../../src/serve/queue/queue.ts'

/**
 * A queue within the process, for tests in virtual time. `queue.db.test.ts` tests it and the real queue
 * alike: each gives a place once, the most urgent first.
 */
export function queueHere(): Queue {
  const waiting = new Map<string, number>()
  const visits = new Map<string, Promise<void>>()
  let taking: { atOnce: number; work: TakePlace } | undefined
  const give = (): void => {
    while (taking !== undefined && visits.size < taking.atOnce) {
      const [next] = [...waiting].sort(([, one], [, other]) => other - one)
      if (next === undefined) return
      const [place] = next
      const { work } = taking
      waiting.delete(place)
      const ended = Promise.resolve()
        .then(() => work(place, new AbortController().signal))
        .catch(() => {})
        .finally(() => {
          visits.delete(place)
          give()
        })
      visits.set(place, ended)
    }
  }
  return {
    async offer(offers) {
      for (const { place, priority } of offers)
        if (!waiting.has(place) && !visits.has(place)) waiting.set(place, priority)
      await Promise.resolve()
      give()
    },
    async take(atOnce, work) {
      taking = { atOnce, work }
      await Promise.resolve()
      give()
    },
    async close() {
      taking = undefined
      await Promise.all(visits.values())
    },
  }
}
