import PQueue from 'p-queue'
import { defaultPool, LEARN_ALL, QUOTA_PRESETS, type Quotas } from '../src/core/define/quota.ts'
import { RateLimitedError } from '../src/core/errors.ts'
import {
  type Driven,
  driveQuota,
  governed,
  type Pressed,
  type QuotaDrive,
  type Starter,
} from '../test/api/drive-quota.ts'
import { type EventClock, eventClock } from '../test/api/event-clock.ts'
import { LIMITERS } from '../test/api/limiters.ts'
import { serveOrder } from './child.ts'
import { BENCH_NOW_MS } from './session-rows.ts'
import { replaceTimers } from './virtual-timers.ts'

export interface QuotaOrder {
  minutes: number
  /** What the ways, the work and the others are drawn from. */
  seed: number
}

export type Question = 'known' | 'shared' | 'learn' | 'slow'

export interface QuotaDriven extends Driven {
  question: Question
  kind: string
  /** `governor`, or what stands beside it. */
  by: string
  jitterMs: number
  seed: number
}

/** The labels of two plans at once are mixed: their quotas are apart, and one governor serves them. */
async function measureQuota({ minutes, seed }: QuotaOrder): Promise<QuotaDriven[]> {
  const results: QuotaDriven[] = []
  const drive = driveWith(seed)
  for (const kind of Object.keys(LIMITERS)) {
    for (const jitterMs of [0, 10, 30])
      results.push(...(await drive({ ...KNOWN, minutes, kind, latency: way(jitterMs) }, 'known')))
    const shared = { ...KNOWN, kind, minutes: 2 * minutes, othersUpTo: 0.5, latency: way(10) }
    for (let more = 0; more < SHARED_DRIVES; more++)
      results.push(...(await driveWith(seed + more * SEEDS_APART)(shared, 'shared')))
    const learn = { ...KNOWN, kind, minutes, fromMinute: 1, latency: way(10) }
    results.push(...(await drive({ ...learn, quotas: LEARN_ALL }, 'learn')))
    const slow = {
      ...learn,
      labels: SLOW,
      minutes: 12 * minutes,
      fromMinute: 10,
      quotas: LEARN_ALL,
    }
    results.push(...(await drive(slow, 'slow')))
    for (const [by, starter] of Object.entries(BESIDE)) {
      const beside = { ...KNOWN, minutes, kind, latency: way(10), by, starter }
      results.push(...(await drive(beside, 'known')))
      results.push(...(await drive({ ...beside, minutes: 2 * minutes, othersUpTo: 0.5 }, 'shared')))
    }
  }
  return results
}

interface Case {
  kind: string
  labels: readonly Pressed[]
  quotas: Quotas
  minutes: number
  fromMinute?: number
  othersUpTo?: number
  latency: QuotaDrive['latency']
  by?: string
  starter?: QuotaDrive['starter']
}

function driveWith(seed: number) {
  return async (of: Case, question: Question): Promise<QuotaDriven[]> => {
    const { by = 'governor', quotas, starter = governed(quotas), latency, kind } = of
    const clock = eventClock(BENCH_NOW_MS)
    replaceTimers(clock)
    const driven = await driveQuota({ ...of, starter, seed, clock })
    const { jitterMs } = latency
    return driven.map((one) => ({ ...one, question, kind, by, jitterMs, seed }))
  }
}

/** Each way takes 10 ms and up to so much longer, and the service works up to 60 ms. */
function way(jitterMs: number): QuotaDrive['latency'] {
  return { leastMs: 10, jitterMs, workMs: 60 }
}

/** A queue with a fixed rate, as its own documentation shows it. */
function fixedQueue(clock: EventClock): Starter {
  const queues = new Map(
    FAST.map(({ label, calls, perMs }) => {
      const options = { intervalCap: calls, interval: perMs, concurrency: SLICES }
      return [label, new PQueue(options)]
    }),
  )
  return {
    run: (label, task) => calm(clock, () => queues.get(label)!.add(() => task(() => {}))),
    close: async () => {},
  }
}

/** No rate at all: each call that is refused waits by itself. */
function plainRetry(clock: EventClock): Starter {
  const queues = new Map(FAST.map(({ label }) => [label, new PQueue({ concurrency: SLICES })]))
  return {
    run: (label, task) => queues.get(label)!.add(() => calm(clock, () => task(() => {}))),
    close: async () => {},
  }
}

async function calm<T>(clock: EventClock, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RateLimitedError)
      await clock.sleep(Math.max(0, error.untilMs - clock.now()))
    throw error
  }
}

const SLICES = 32
/** What the others take is luck: one drive alone says little. */
const SHARED_DRIVES = 20
/** Neighbouring seeds begin alike. */
const SEEDS_APART = 100
const BESIDE = { 'a fixed p-queue': fixedQueue, 'retry on 429': plainRetry }
const FAST: readonly Pressed[] = [
  { label: 'LIGHT', calls: 80, perMs: 1_000 },
  { label: 'MEDIUM', calls: 40, perMs: 1_000 },
  { label: 'HEAVY', calls: 20, perMs: 1_000 },
]
const SLOW: readonly Pressed[] = [
  { label: 'LIGHT', calls: 4, perMs: 1_000 },
  { label: 'HEAVY', calls: 1, perMs: 1_000 },
  { label: 'RESOURCE-INTENSIVE', calls: 10, perMs: 60_000 },
]
const KNOWN = {
  labels: FAST,
  quotas: {
    ...QUOTA_PRESETS.business,
    MEDIUM: { perSecond: 40, pool: 'MEDIUM' },
    HEAVY: { perSecond: 20, pool: defaultPool('HEAVY') },
  } satisfies Quotas,
}

await serveOrder(measureQuota)
