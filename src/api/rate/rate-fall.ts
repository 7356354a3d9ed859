import { readSigns } from './limit-model.ts'
import {
  cruising,
  excessAt,
  FIRST_TEST_WINDOWS,
  type FinderOptions,
  type Finding,
} from './rate-finding.ts'
import { addRefusal, putOff } from './refusal-cost.ts'
import type { SentBefore } from './send-record.ts'

type Shown = SentBefore & { nowMs: number }

/** The state after a refusal: just below the limit that it has shown, or well below one that is not known. */
export function fall(options: FinderOptions, finding: Finding, shown: Shown): Finding {
  const { windowMs } = options
  const { nowMs } = shown
  const { phase, rate } = finding
  const excess = phase === 'test' ? excessAt(options, finding, nowMs) : undefined
  const signs = readSigns(finding.signs, shown, { windowMs, excess })
  const since = shown.sinceMs / windowMs
  const cost = addRefusal(finding.cost, phase === 'cruise' && since <= SOON_WINDOWS)
  const fallen = { ...finding, steppedMs: nowMs, settledMs: nowMs, signs, cost }
  if (phase === 'grow') return firstFall(options, fallen, shown)
  // Alone, a whole number of calls was let through, so the limit is a little more; others take that as well.
  const { recent } = shown
  const sent = Math.max(1, options.cap === undefined && recent >= ROUNDED ? recent + 0.5 : recent)
  // Well below the rate a refusal has another reason, or others take very much: it shows no limit.
  const pressed = sent >= rate * MOST_OF_A_FALL
  const limit = limitShown(fallen, { ...shown, sent, since })
  if (limit !== undefined && pressed) {
    const found = { ...fallen, ceiling: limit }
    const testAfterMs = nextTest(options, fallen, limit)
    return { ...found, phase: 'cruise', rate: cruising(options, found), testAfterMs }
  }
  // Others have come, and how much they leave is met from below: that refuses fewer calls.
  const met = { ...fallen, ceiling: Math.max(1, pressed ? Math.min(rate, sent) : rate) }
  return {
    ...met,
    phase: 'climb',
    rate: Math.min(rate, Math.max(DROP, Math.min(rate * DROP, cruising(options, met)))),
    growth: CLIMB,
    testAfterMs: windowMs * FIRST_TEST_WINDOWS,
  }
}

/**
 * What the refusal shows of the limit, in calls a window. Where the service fills a bucket, the average since
 * the refusal before is what it allows; over a longer time it has run over, and that is the least. Where it
 * counts by windows, the calls of the window before are, but only when the rate was a little too high: that
 * is so at the end of a climb or test, whose last whole window was let through, and when a cruise is refused
 * some windows after the refusal before. A rate that is far too high is refused as soon as the hold is over,
 * and one that was right for long is refused because others have come: both show nothing.
 */
function limitShown(
  { phase, ceiling, passed, signs }: Finding,
  { sent, since, sustained }: Shown & { sent: number; since: number },
): number | undefined {
  const soon = since <= SOON_WINDOWS
  if (signs.bucket && sustained !== undefined) {
    if (soon) return Math.max(sent * LEAST_AVERAGE, Math.min(sent, sustained))
    if (phase === 'test') return Math.min(sent, Math.max(sustained, ceiling))
  }
  if (phase === 'test') return Math.min(sent, Math.max(passed, ceiling))
  if (since < AT_ONCE_WINDOWS) return undefined
  if (phase === 'climb') return Math.min(sent, passed)
  return phase === 'cruise' && soon ? Math.min(ceiling * A_LITTLE, sent) : undefined
}

/**
 * The first limit that is met on the way up from nothing. The steps were large and a bucket was full, so the
 * truth is somewhere between what was sent just now and what was sent on the average.
 */
function firstFall(options: FinderOptions, fallen: Finding, { recent, sustained }: Shown): Finding {
  // A refusal can have other reasons than what was sent: one alone does not take more than this.
  const found = Math.max(1, recent, fallen.rate * MOST_OF_A_FALL)
  const average = Math.min(found, Math.max(found * LEAST_AVERAGE, sustained ?? found))
  const between = Math.max(found * AT_LEAST, Math.sqrt(found * average))
  return {
    ...fallen,
    phase: 'climb',
    ceiling: found,
    rate: cruising(options, { ...fallen, ceiling: between }),
    growth: FIRST_CLIMB,
  }
}

/**
 * Where the quota is known, what a test may find is known too: the more others take, the more may have come
 * free, and the sooner a look is worth the calls that it may cost: later where those are many, and in a
 * bucket, where a look takes long. Else twice as long where a test has found what was known before.
 */
function nextTest(
  { windowMs, cap, lastTestMs }: FinderOptions,
  { ceiling, testAfterMs, signs, cost }: Finding,
  found: number,
): number {
  const same = Math.abs(found / ceiling - 1) < SAME
  if (cap !== undefined) {
    const taken = Math.max(1 - found / cap, LEAST_TAKEN)
    const worthMs = Math.min(lastTestMs, (windowMs * WORTH_WINDOWS) / taken)
    const afterMs = worthMs * putOff(cost) * (same ? LONGER : 1) * (signs.bucket ? LONGER : 1)
    return Math.min(LATEST_TEST_MS, afterMs)
  }
  return same
    ? Math.max(testAfterMs, Math.min(lastTestMs, testAfterMs * 2))
    : windowMs * FIRST_TEST_WINDOWS
}

/** After a hold a rate that is far too high is refused in the next window or early in the one after it. */
const AT_ONCE_WINDOWS = 1.9
const SOON_WINDOWS = 15
const ROUNDED = 10
const DROP = 0.75
const CLIMB = 1.04
const FIRST_CLIMB = 1.03
const LEAST_AVERAGE = 0.25
const MOST_OF_A_FALL = 0.4
const A_LITTLE = 0.95
const AT_LEAST = 0.85
const SAME = 0.1
/** A test finds half of what others take, as a rule, and costs about a window beside what is refused. */
const WORTH_WINDOWS = 7
const LEAST_TAKEN = 0.01
const LONGER = 1.5
const LATEST_TEST_MS = 3_600_000
