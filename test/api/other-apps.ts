import type { Clock } from '../../src/core/time/clock.ts'
import type { Limiter } from './limiters.ts'

export interface OtherAppsOptions {
  calls: number
  perMs: number
  /** The largest share of the quota that the others take; 0 for none. */
  upTo: number
  endMs: number
  random: () => number
}

export interface OtherApps {
  shares: readonly { atMs: number; share: number }[]
  /** The share that the others take at this time. */
  at(atMs: number): number
  /** The calls that the others leave to us in this period. */
  leftBetween(fromMs: number, toMs: number): number
  /** Makes the others' calls, evenly spaced. */
  press(clock: Clock, limiter: Limiter): Promise<void>
}

/** The others begin after one to two minutes, and then change their share every one to two minutes. */
export function otherApps({ calls, perMs, upTo, endMs, random }: OtherAppsOptions): OtherApps {
  const shares = [{ atMs: 0, share: 0 }]
  if (upTo > 0) {
    for (let atMs = minutes(random); atMs < endMs; atMs += minutes(random))
      shares.push({ atMs, share: random() * upTo })
  }
  const at = (atMs: number): number => shares.findLastIndex((one) => one.atMs <= atMs)
  return {
    shares,
    at,
    leftBetween: (fromMs, toMs) =>
      shares.reduce((sum, { atMs, share }, index) => {
        const untilMs = Math.min(toMs, shares[index + 1]?.atMs ?? toMs)
        const spanMs = Math.max(0, untilMs - Math.max(fromMs, atMs))
        return sum + (spanMs / perMs) * calls * (1 - share)
      }, 0),
    async press(clock, limiter) {
      while (upTo > 0 && clock.elapsed() < endMs) {
        const share = shares[at(clock.elapsed())]?.share ?? 0
        await clock.sleep(share === 0 ? IDLE_MS : (perMs / (calls * share)) * (0.9 + random() / 5))
        if (share > 0) limiter(clock.elapsed())
      }
    },
  }
}

function minutes(random: () => number): number {
  return 60_000 + random() * 60_000
}

const IDLE_MS = 50
