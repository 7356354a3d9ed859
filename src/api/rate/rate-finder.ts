import type { RateLabel } from '../../core/declare/operation.ts'
import { NO_SIGNS } from './limit-model.ts'
import { fall } from './rate-fall.ts'
import {
  cruising,
  excessAt,
  FIRST_TEST_WINDOWS,
  type FinderOptions,
  type Finding,
  MOST,
} from './rate-finding.ts'
import { addCall, stepUp, USUAL_COST } from './refusal-cost.ts'
import { createSendRecord } from './send-record.ts'
import type { RateWindow } from './window-permits.ts'

/** Finds out how fast a label may go, from what its answers show. */
export interface RateFinder {
  /** A call starts, after it was held up or not; answers how long the next one has to wait. */
  started(nowMs: number, heldUp: boolean): number
  sent(nowMs: number): void
  refused(sentAtMs: number, nowMs: number): void
}

/** `save` is told every now and then what the next process may begin with. */
export function createRateFinder(
  options: FinderOptions,
  save?: (callsPerSecond: number) => void,
): RateFinder {
  const { windowMs } = options
  const record = createSendRecord(windowMs)
  let finding = firstFinding(options)
  let savedAtMs = Number.NEGATIVE_INFINITY
  const keep = (nowMs: number): void => {
    savedAtMs = nowMs
    const known =
      finding.ceiling === Number.POSITIVE_INFINITY
        ? finding.rate
        : cruising({ reserve: 0 }, finding)
    save?.((known * 1000) / windowMs)
  }
  return {
    started(nowMs, heldUp) {
      if (heldUp && nowMs - finding.steppedMs >= windowMs) finding = step(options, finding, nowMs)
      record.started(nowMs, heldUp)
      if (nowMs - savedAtMs >= SAVE_EVERY_MS) keep(nowMs)
      const spacingMs = windowMs / finding.rate
      if (finding.phase !== 'free') return spacingMs
      // Spread a little, a change of what others take meets fewer calls; minutes are not spread.
      return windowMs < LONG_WINDOW_MS ? spacingMs * SPREAD : 0
    },
    sent: (nowMs) => record.sent(nowMs),
    refused(sentAtMs, nowMs) {
      const shown = record.refused(sentAtMs, nowMs)
      if (shown === undefined) {
        finding = { ...finding, cost: addCall(finding.cost) }
        return
      }
      finding = fall(options, finding, { ...shown, nowMs })
      keep(nowMs)
    },
  }
}

/** For a label whose quota is not known, beginning with what an earlier process learned. */
export function learningOptions(
  label: RateLabel,
  { learned, reserve }: { learned: number | undefined; reserve: number },
): FinderOptions {
  const perMinute = label === 'RESOURCE-INTENSIVE'
  const windowMs = perMinute ? 60_000 : 1_000
  return {
    windowMs,
    cap: undefined,
    first: perMinute ? SMALLEST_PER_MINUTE : SMALLEST_PER_SECOND,
    learned: learned === undefined ? undefined : (learned * windowMs) / 1000,
    reserve,
    lastTestMs: 1_200_000,
  }
}

/** For a known quota, which other apps may share. */
export function knownOptions({ cap, intervalMs }: RateWindow): FinderOptions {
  const lastTestMs = intervalMs * LAST_TEST_WINDOWS
  return { windowMs: intervalMs, cap, first: cap, learned: undefined, reserve: 0, lastTestMs }
}

function firstFinding(options: FinderOptions): Finding {
  const { cap, first, learned, windowMs } = options
  const testAfterMs = windowMs * FIRST_TEST_WINDOWS
  const none = { growth: 1, steppedMs: 0, settledMs: 0, passed: first, excess: 0, signs: NO_SIGNS }
  const from = { ...none, testAfterMs, cost: USUAL_COST }
  if (cap !== undefined) return { ...from, phase: 'free', rate: cap, ceiling: cap }
  if (learned !== undefined) {
    const ceiling = learned / cruising({ reserve: 0 }, { ...from, ceiling: 1 })
    return { ...from, phase: 'cruise', rate: cruising(options, { ...from, ceiling }), ceiling }
  }
  return { ...from, phase: 'grow', rate: first, ceiling: Number.POSITIVE_INFINITY }
}

/** A window of full use in which nothing was refused. */
function step(options: FinderOptions, before: Finding, nowMs: number): Finding {
  const { cap } = options
  const { phase, ceiling, rate } = before
  const finding = { ...before, steppedMs: nowMs, passed: rate }
  if (phase === 'free') return finding
  if (phase === 'cruise') {
    if (nowMs - before.settledMs < before.testAfterMs) return finding
    return { ...finding, phase: 'test', rate: Math.min(cap ?? MOST, ceiling), excess: 0 }
  }
  if (phase === 'test') finding.excess = excessAt(options, before, nowMs)
  const target = phase === 'climb' ? cruising(options, before) : (cap ?? MOST)
  const next = rate * growthOf(before)
  if (next < target) return { ...finding, rate: next }
  const there = { ...finding, rate: target, settledMs: nowMs }
  if (phase === 'climb') return { ...there, phase: 'cruise' }
  return cap === undefined ? there : { ...there, phase: 'free' }
}

/**
 * The steps of a test are small: what is one step too much is all that is refused, and most often nothing has
 * changed. Only far above what was known they are larger.
 */
function growthOf({ phase, rate, ceiling, growth, cost }: Finding): number {
  if (phase === 'grow') return FIRST_GROWTH
  if (phase === 'climb') return growth
  return stepUp(rate < ceiling * FAR ? TEST_STEP : FAR_STEP, cost)
}

/** The smallest quotas that are known: nothing has to fall below them at the start. */
const SMALLEST_PER_SECOND = 1
const SMALLEST_PER_MINUTE = 9.8
const SAVE_EVERY_MS = 30_000
const LONG_WINDOW_MS = 10_000
const SPREAD = 0.9
const LAST_TEST_WINDOWS = 32
const FIRST_GROWTH = 1.5
const TEST_STEP = 0.024
const FAR = 1.1
const FAR_STEP = 0.08
