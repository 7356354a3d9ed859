import {
  cruising,
  type FinderOptions,
  type Finding,
  FIRST_TEST_WINDOWS,
  type Tested,
} from './rate-finding.ts'
import type { SentBefore } from './send-record.ts'

/**
 * What a refusal says. The calls of the window before it are what a window allows, where the service counts
 * by windows; where it fills a bucket, that is too much by what the bucket held, and the average since the
 * refusal before is right, since the bucket was empty then and is empty now. Which of the two counts is not
 * known, so the phase decides which is believed, and the next refusal corrects it.
 */
export function fall(
  options: FinderOptions,
  finding: Finding,
  shown: SentBefore & { nowMs: number },
): Finding {
  const { windowMs } = options
  const { nowMs } = shown
  const { phase, rate, ceiling, tested, testAfterMs } = finding
  // A whole number of calls was let through, so the limit is a little more, but where it is one or two.
  const sent = Math.max(1, shown.recent < ROUNDED ? shown.recent : shown.recent + 0.5)
  const sustained = Math.min(sent, Math.max(sent / 4, shown.sustained ?? sent))
  const sinceWindows = shown.sinceMs / windowMs
  const fallen = { ...finding, steppedMs: nowMs, settledMs: nowMs, tested: undefined }
  const settle = (found: number, before: Tested): Finding => ({
    ...fallen,
    phase: 'cruise',
    ceiling: found,
    rate: cruising(options, found),
    testAfterMs: nextTest(options, found, before),
  })
  if (phase === 'test') {
    return { ...settle(sent, finding), tested: { ceiling, testAfterMs } }
  }
  if (phase === 'free' || (phase === 'cruise' && sinceWindows > LONG_WINDOWS)) {
    // Others have come. How much they leave is met from below: that refuses fewer calls.
    const testSoonMs = windowMs * FIRST_TEST_WINDOWS
    const drop = { phase: 'climb', rate: rate * DROP, ceiling: rate, growth: FAST } as const
    return { ...fallen, ...drop, testAfterMs: testSoonMs }
  }
  if (phase === 'cruise' && sinceWindows >= SHORT_WINDOWS) {
    // A bucket lets a test go far beyond what was known, and refuses soon after it.
    const far = tested !== undefined && ceiling > tested.ceiling * FAR
    const overfull = far && sinceWindows < SOON_WINDOWS
    return settle(overfull ? sustained : Math.min(ceiling * A_LITTLE, sent), tested ?? finding)
  }
  // A refusal can have other reasons than what was sent: one alone does not take more than this.
  const found = Math.max(sent, rate * MOST_OF_A_FALL)
  const between = Math.max(found * AT_LEAST, Math.sqrt(found * sustained))
  return {
    ...fallen,
    phase: 'climb',
    ceiling: found,
    rate: cruising(options, between),
    growth: GENTLE,
  }
}

/**
 * Where the quota is known, what a test may find is known too: the more others take, the more may have come
 * free, and the sooner a look is worth the call that it may cost. Else twice as long where a test has found
 * what was known before.
 */
function nextTest(
  { windowMs, cap, lastTestMs }: FinderOptions,
  found: number,
  before: Tested,
): number {
  const same = Math.abs(found / before.ceiling - 1) < SAME
  if (cap !== undefined) {
    const taken = Math.max(1 - found / cap, LEAST_TAKEN)
    return Math.min(lastTestMs, ((windowMs * WORTH_WINDOWS) / taken) * (same ? LONGER : 1))
  }
  return same
    ? Math.max(before.testAfterMs, Math.min(lastTestMs, before.testAfterMs * 2))
    : windowMs * FIRST_TEST_WINDOWS
}

const ROUNDED = 10
const DROP = 0.8
const FAST = 1.08
const GENTLE = 1.03
const MOST_OF_A_FALL = 0.4
const A_LITTLE = 0.97
const AT_LEAST = 0.85
const FAR = 1.15
const SAME = 0.1
const SHORT_WINDOWS = 2.5
const SOON_WINDOWS = 15
const LONG_WINDOWS = 30
/** A test finds half of what others take, as a rule, and costs about a window and a refusal. */
const WORTH_WINDOWS = 12
const LEAST_TAKEN = 0.01
const LONGER = 1.5
