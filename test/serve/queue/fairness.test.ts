import { expect, it } from 'vitest'
import { silentObserver } from '../../../src/core/define/observer.ts'
import type { Ending } from '../../../src/core/time/ending.ts'
import type { Attempt } from '../../../src/core/time/next-start.ts'
import { dispatchByQueue } from '../../../src/serve/queue/dispatch-by-queue.ts'
import type { Work } from '../../../src/serve/queue/dispatcher.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { queueHere } from './queue-here.ts'

const MINUTE_MS = 60_000
const ACCOUNTS = 200
const JOBS = 10
const dueMs = Date.parse('2026-05-04T01:00:00Z')

const works = Array.from({ length: ACCOUNTS * JOBS }, (_, at): Work => {
  const account = `account-${Math.floor(at / JOBS)}`
  return { account, job: `job-${at % JOBS}`, schedule: '0 1 * * *', timezone: 'UTC' }
})

const nameOf = ({ account, job }: Pick<Work, 'account' | 'job'>): string => `${account} ${job}`

/** For each account, the milliseconds until each of its jobs had ended once. */
async function waits(length: (at: number) => number, ending: (at: number) => Ending) {
  const clock = manualClock(dueMs)
  const firstDone = new Map<string, number>()
  const ledger = new Map<string, Attempt[]>()
  const stop = new AbortController()
  const running = dispatchByQueue(
    {
      clock,
      queue: queueHere(),
      observer: silentObserver,
      accountsAtOnce: 8,
      attempts: async (asked) => asked.map((work) => [...(ledger.get(nameOf(work)) ?? [])]),
      async run({ account, job }) {
        const name = nameOf({ account, job })
        const startedMs = clock.now()
        const at = works.findIndex((one) => one.account === account && one.job === job)
        await clock.sleep(length(at))
        const endedMs = clock.now()
        if (!firstDone.has(name)) firstDone.set(name, endedMs - dueMs)
        const attempt = { startedMs, endedMs, ending: ending(at) }
        ledger.set(name, [...(ledger.get(name) ?? []), attempt])
        return attempt.ending
      },
    },
    works,
    stop.signal,
  )
  while (firstDone.size < works.length) await clock.advance(MINUTE_MS)
  stop.abort()
  await clock.advance(HOUR_MS)
  await running
  const last = Map.groupBy(firstDone, ([name]) => name.split(' ')[0])
  return [...last.values()].map((jobs) => Math.max(...jobs.map(([, ms]) => ms)))
}

const HOUR_MS = 60 * MINUTE_MS
const DONE: Ending = { kind: 'done' }

/** The longest wait divided by the median. */
function unfairness(all: readonly number[]): number {
  const sorted = all.toSorted((a, b) => a - b)
  const [median = 0, worst = 0] = [sorted[sorted.length / 2], sorted.at(-1)]
  return worst / median
}

it('the queue makes no account wait over three times the median, however long jobs take', async () => {
  const mixed = await waits(
    (at) => 1_000 * (1 + ((at * 7_919) % 20)),
    () => DONE,
  )
  expect(unfairness(mixed)).toBeLessThanOrEqual(3)
  const slow = (at: number): number => (at % 97 === 0 ? 20 * MINUTE_MS : 2_000)
  expect(unfairness(await waits(slow, () => DONE))).toBeLessThanOrEqual(3)
})

it('the queue makes no account wait over three times the median if other jobs fail repeatedly', async () => {
  const ending = (at: number): Ending =>
    at % 20 === 0 ? { kind: at % 40 === 0 ? 'interrupted' : 'again' } : DONE
  expect(unfairness(await waits(() => 5_000, ending))).toBeLessThanOrEqual(3)
})
