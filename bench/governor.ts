import { createGovernor, type Governor } from '../src/api/governor.ts'
import { type Clock, manualClock, systemClock } from '../src/core/clock.ts'
import { silentObserver } from '../src/core/observer.ts'
import { defaultPool, LEARN_ALL, type Quotas } from '../src/core/quota.ts'
import { type Limiter, LIMITERS } from '../test/api/limiters.ts'
import { memoryLedger } from '../test/api/memory-stores.ts'
import { serveOrder } from './child.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

export interface GovernorOrder {
  /** Windows of a second that each known quota is driven for, in real time. */
  seconds: number
}

export interface Governed {
  quota: 'known' | 'learn'
  kind: string
  perSecond: number
  /** The share of the quota that was let through. */
  used: number
  /** The share of the calls that were answered 429. */
  refused: number
}

/**
 * Known quotas in real time, side by side, since the queue keeps real time; learning in a time of its own.
 */
async function govern({ seconds }: GovernorOrder): Promise<Governed[]> {
  const kinds = Object.keys(LIMITERS)
  const known = kinds.flatMap((kind) => [20, 50, 100].map((calls) => [kind, calls] as const))
  const results = await Promise.all(known.map(([kind, calls]) => driveKnown(kind, calls, seconds)))
  for (const kind of kinds)
    for (const calls of [30, 80]) results.push(await driveLearning(kind, calls))
  return results
}

/**
 * The share is measured from the end of the first burst to the end of the last: a window sends in bursts,
 * so that any other span would count one too many or too few.
 */
async function driveKnown(kind: string, perSecond: number, seconds: number): Promise<Governed> {
  const governor = governorOf(systemClock, {
    ...LEARN_ALL,
    HEAVY: { perSecond, pool: defaultPool('HEAVY') },
  })
  const passedAtMs: number[] = []
  let refused = 0
  const limiter = limiterOf(kind, perSecond)
  const delayMs = latencies()
  let arrivedMs = 0
  const calls = perSecond * seconds
  await Promise.all(
    Array.from({ length: calls }, () =>
      governor.run('HEAVY', undefined, async (sent) => {
        sent()
        // Reckoned, not slept: what is sent is on its way, whatever then holds up this process.
        arrivedMs = Math.max(arrivedMs, systemClock.elapsed() + delayMs())
        if (limiter(arrivedMs)) passedAtMs.push(arrivedMs)
        else refused++
        await systemClock.sleep(LATENCY_MS)
      }),
    ),
  )
  await governor.close()
  const spanMs = (passedAtMs.at(-1) ?? 0) - (passedAtMs[perSecond - 1] ?? 0)
  const used = ((passedAtMs.length - perSecond) * 1000) / spanMs / perSecond
  return { quota: 'known', kind, perSecond, used, refused: refused / calls }
}

/** Three minutes against a quota that nobody told; what counts comes after the first. */
async function driveLearning(kind: string, perSecond: number): Promise<Governed> {
  const clock = manualClock(BENCH_NOW_MS)
  const governor = governorOf(clock, LEARN_ALL)
  const limiter = limiterOf(kind, perSecond)
  const counts = { sent: 0, refused: 0 }
  const call = async (): Promise<void> => {
    await clock.sleep(LATENCY_MS / 2)
    const passed = limiter(clock.elapsed())
    if (clock.elapsed() >= MINUTE_MS && clock.elapsed() < 3 * MINUTE_MS) {
      counts.sent++
      if (!passed) counts.refused++
    }
    await clock.sleep(LATENCY_MS / 2)
    if (!passed) throw new Error('429')
  }
  const state = { done: false }
  const caller = async (): Promise<void> => {
    while (clock.elapsed() < 3 * MINUTE_MS)
      await governor
        .run('HEAVY', undefined, call)
        .catch(() => governor.hold('HEAVY', clock.now() + 1_000, 'rate'))
  }
  const ended = Promise.all(Array.from({ length: 8 }, caller)).finally(() => (state.done = true))
  while (!state.done) await clock.advance(LATENCY_MS)
  await ended
  await governor.close()
  const used = (counts.sent - counts.refused) / (perSecond * 120)
  return { quota: 'learn', kind, perSecond, used, refused: counts.refused / counts.sent }
}

/** The way to the limiter takes 10 to 20 ms. */
function latencies(): () => number {
  const random = seeded()
  return () => LATENCY_MS / 2 + (random() * LATENCY_MS) / 2
}

function governorOf(clock: Clock, quotas: Quotas): Governor {
  const random = seeded()
  const ledger = memoryLedger()
  return createGovernor({ quotas, headroom: 0, ledger, clock, random, observer: silentObserver })
}

function limiterOf(kind: string, perSecond: number): Limiter {
  return LIMITERS[kind]?.(perSecond, 1_000) ?? (() => true)
}

function seeded(): () => number {
  let state = 7
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const LATENCY_MS = 20
const MINUTE_MS = 60_000

await serveOrder(govern)
