import { DEFAULT_WAIT_MS } from '../../src/api/answers/refusal.ts'
import { createGovernor, type Governor } from '../../src/api/quota/governor.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import type { RateLabel } from '../../src/core/define/operation.ts'
import type { Quotas } from '../../src/core/define/quota.ts'
import { RateLimitedError } from '../../src/core/errors.ts'
import { type EventClock, eventClock } from './event-clock.ts'
import { LIMITERS, type Limiter } from './limiters.ts'
import { memoryLedger } from './memory-stores.ts'
import { otherApps } from './other-apps.ts'

/** Starts the calls of a label: our governor, or another implementation to compare it with. */
export interface Starter {
  run<T>(label: RateLabel, task: (sent: () => void) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A limit of the service, and the label whose calls it counts. */
export interface Pressed {
  label: RateLabel
  calls: number
  perMs: number
}

export interface QuotaDrive {
  kind: string
  labels: readonly Pressed[]
  starter: (clock: EventClock, random: () => number) => Starter
  minutes: number
  /** Calls before this minute are not counted. */
  fromMinute?: number
  /** The time to the service, plus up to `jitterMs`, and the service's work of up to `workMs`. */
  latency: Latency
  /** The largest share of the quota that other apps take; it changes every one to two minutes. */
  othersUpTo?: number
  seed: number
  clock?: EventClock
}

export interface Latency {
  leastMs: number
  jitterMs: number
  workMs: number
}

export interface Driven {
  label: RateLabel
  calls: number
  sent: number
  refused: number
  /** The successful calls, as a share of the calls that other apps left to us. */
  used: number
  /** The 429s between each change of the other apps' share and the next. */
  refusedByChange: readonly number[]
}

/** Runs all labels' callers in parallel, in virtual time. Each starts its next call after an answer. */
export async function driveQuota(drive: QuotaDrive): Promise<Driven[]> {
  const clock = drive.clock ?? eventClock(Date.UTC(2026, 4, 4, 12))
  const random = seeded(drive.seed)
  const starter = drive.starter(clock, random)
  const presses = drive.labels.map((pressed) => press({ drive, pressed, starter, clock, random }))
  const driven = await clock.until(Promise.all(presses))
  await starter.close()
  return driven
}

export function governed(
  quotas: Quotas,
  { ledger = memoryLedger(), reserve = 0 } = {},
): QuotaDrive['starter'] {
  return (clock, random) => {
    const observer = silentObserver
    const options = { quotas, reserve, ledger, clock, random, observer, concurrency: SLICES }
    const governor: Governor = createGovernor(options)
    return {
      run: (label, task) => governor.run(label, undefined, task),
      close: () => governor.close(),
    }
  }
}

interface Press {
  drive: QuotaDrive
  pressed: Pressed
  starter: Starter
  clock: EventClock
  random: () => number
}

async function press({ drive, pressed, starter, clock, random }: Press): Promise<Driven> {
  const { label, calls, perMs } = pressed
  const limiter = LIMITERS[drive.kind]?.(calls, perMs) as Limiter
  const endMs = drive.minutes * MINUTE_MS
  const fromMs = (drive.fromMinute ?? 0) * MINUTE_MS
  const others = otherApps({ ...pressed, upTo: drive.othersUpTo ?? 0, endMs, random })
  const counts = { sent: 0, refused: 0 }
  const refusedByChange = others.shares.map(() => 0)
  const { leastMs, jitterMs, workMs } = drive.latency
  const way = (): Promise<void> => clock.sleep(leastMs + random() * jitterMs)
  const call = async (sent: () => void): Promise<void> => {
    sent()
    await way()
    const atMs = clock.elapsed()
    const passed = limiter(atMs)
    if (atMs >= fromMs && atMs < endMs) {
      counts.sent++
      if (!passed) counts.refused++
      if (!passed) refusedByChange[others.at(atMs)]!++
    }
    if (passed) await clock.sleep(random() * workMs)
    await way()
    if (!passed) throw new RateLimitedError('rate', clock.now() + DEFAULT_WAIT_MS[label], TOO_MANY)
  }
  const caller = async (): Promise<void> => {
    while (clock.elapsed() < endMs) {
      await starter.run(label, call).catch((error: unknown) => {
        if (!(error instanceof RateLimitedError)) throw error
      })
    }
  }
  await Promise.all([...Array.from({ length: SLICES + 4 }, caller), others.press(clock, limiter)])
  const left = others.leftBetween(fromMs, endMs)
  return { label, calls, ...counts, used: (counts.sent - counts.refused) / left, refusedByChange }
}

export function meanUsed(drives: readonly Driven[]): number {
  return sum(drives, ({ used }) => used) / drives.length
}

/** The average number of 429s per change of the others' share. The first period precedes any change. */
export function refusedPerChange(drives: readonly Driven[]): number {
  const changes = sum(drives, ({ refusedByChange }) => refusedByChange.length - 1)
  return sum(drives, ({ refused }) => refused) / Math.max(1, changes)
}

export function sum<T>(drives: readonly T[], of: (driven: T) => number): number {
  return drives.reduce((total, one) => total + of(one), 0)
}

export function seeded(seed: number): () => number {
  let state = (seed * 7_919) % 2_147_483_647
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const TOO_MANY = { tried: 'a call of the drive', came: 'one too many' }
const MINUTE_MS = 60_000
/** Enough concurrent slices that only the quota limits the calls. */
const SLICES = 32
