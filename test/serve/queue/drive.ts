import type { ExplainedEnding } from '../../../src/core/time/ending.ts'
import type { Attempt } from '../../../src/core/time/next-start.ts'
import { dispatchByQueue } from '../../../src/serve/queue/dispatch-by-queue.ts'
import { type DispatcherDeps, queuePlace, type Work } from '../../../src/serve/queue/dispatcher.ts'
import { type ManualClock, manualClock } from '../../helpers/manual-clock.ts'
import { queueHere } from './queue-here.ts'

export function at(time: string): number {
  return Date.parse(`2026-05-10T${time}:00Z`)
}

interface Drive {
  attempts?: DispatcherDeps['attempts']
  known?: Record<string, Attempt[]>
  run?: (work: Work, clock: ManualClock, signal: AbortSignal) => Promise<ExplainedEnding>
  forMs?: number
  stop?: AbortController
}

/** Runs the dispatcher from noon on in virtual time, and returns what it ran and logged. */
export async function drive(
  works: readonly Work[],
  { known = {}, run, forMs = MINUTE_MS / 2, stop = new AbortController(), attempts }: Drive,
) {
  const clock = manualClock(at('12:00'))
  const seen = {
    ran: [] as string[],
    events: [] as string[],
    levels: [] as string[],
    ended: [] as object[],
  }
  const ledger = new Map<string, Attempt[]>()
  const deps: DispatcherDeps = {
    clock,
    queue: queueHere(),
    observer: {
      event(name, { level, status, reason, attempt }) {
        seen.events.push(name)
        if (name === 'job started') seen.ended.push({ attempt })
        if (name !== 'job ended') return
        seen.levels.push(String(level))
        seen.ended.push({ status, reason })
      },
    },
    accountsAtOnce: 2,
    attempts:
      attempts ??
      (async (asked) =>
        asked.map((work) => [
          ...(known[work.job] ?? []),
          ...(ledger.get(queuePlace({ ...work, kind: 'task' })) ?? []),
        ])),
    run: async (work, { signal }) => {
      const time = new Date(clock.now()).toISOString().slice(11, 16)
      seen.ran.push(`${time} ${work.account} ${work.job}`)
      const startedMs = clock.now()
      const ending: ExplainedEnding = (await run?.(work, clock, signal)) ?? { kind: 'done' }
      const name = queuePlace({ ...work, kind: 'task' })
      ledger.set(name, [...(ledger.get(name) ?? []), { startedMs, endedMs: clock.now(), ending }])
      return ending
    },
  }
  const running = dispatchByQueue(deps, works, stop.signal)
  // Woken work continues before the time advances further.
  for (let ms = 0; ms < forMs; ms += MINUTE_MS / 2) {
    for (let turn = 0; turn < 8; turn++) await clock.advance(0)
    await clock.advance(MINUTE_MS / 2)
  }
  stop.abort()
  await clock.advance(2 * MINUTE_MS)
  await running
  return seen
}

export const MINUTE_MS = 60_000
