import type { Clock } from '../../src/core/time/clock.ts'
import type { Readings } from '../readings/readings.ts'
import { post, type Subscription } from './post.ts'

export interface Letter {
  to: Subscription
  body: string
}

export interface RoundCounts {
  /** The number of requests. */
  sent: number
  /** The number of requests with a 2xx response. */
  taken: number
  /** The number of messages that were dropped after the last attempt. */
  dropped: number
  /** The number of messages that wait for another attempt. */
  waiting: number
}

/** Sends messages, and retries those that were not accepted. */
export interface Rounds {
  /** Resolves after one attempt for each message. */
  carry(letters: readonly Letter[]): Promise<void>
  /** Resends the messages that are due for a retry. */
  deliver(): Promise<void>
  forget(url: string): void
  counts(): RoundCounts
  stop(): void
}

export function makeRounds(clock: Clock, readings: Pick<Readings, 'words'>): Rounds {
  const counts = { sent: 0, taken: 0, dropped: 0 }
  let waiting: (Letter & { tries: number; dueMs: number })[] = []
  let cancel = (): void => {}
  let stopped = false

  const attempt = async (letter: Letter, tries: number): Promise<void> => {
    counts.sent++
    const answer = await post(letter.to, { body: letter.body, clock, readings })
    const afterMs = AGAIN_AFTER_MS[tries]
    if (answer !== undefined && answer.status >= 200 && answer.status < 300) counts.taken++
    else if (afterMs === undefined) counts.dropped++
    else waiting.push({ ...letter, tries: tries + 1, dueMs: clock.now() + afterMs })
  }
  /** Schedules the next retry on the clock, unless the sandbox was stopped. */
  const setAlarm = (): void => {
    cancel()
    const nextMs = Math.min(...waiting.map(({ dueMs }) => dueMs))
    if (!stopped && Number.isFinite(nextMs))
      cancel = clock.alarm(Math.max(1_000, nextMs - clock.now()), () => void deliver())
  }
  const deliver = async (): Promise<void> => {
    const due = waiting.filter(({ dueMs }) => dueMs <= clock.now())
    waiting = waiting.filter(({ dueMs }) => dueMs > clock.now())
    for (const { tries, dueMs: _due, ...letter } of due) await attempt(letter, tries)
    setAlarm()
  }
  return {
    async carry(letters) {
      for (const letter of letters) await attempt(letter, 0)
      setAlarm()
    },
    deliver,
    forget(url) {
      waiting = waiting.filter(({ to }) => to.url !== url)
    },
    counts: () => ({ ...counts, waiting: waiting.length }),
    stop() {
      stopped = true
      cancel()
    },
  }
}

/** The pauses after the first three attempts without a 2xx response. */
const AGAIN_AFTER_MS = [5, 25, 85].map((minutes) => minutes * 60_000)
