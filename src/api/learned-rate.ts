import type { RateLabel } from '../core/operation.ts'

/** What is known of a label whose quota is not: a pure state, moved by answers and time. */
export interface LearnedRate {
  callsPerSecond: number
  /**
   * The rate that was last refused. The rate creeps up to just below it, and tries it again only now and
   * then.
   */
  ceiling: number
  changedAtMs: number
  refusedAtMs: number
  probeAfterMs: number
}

/** How a label is learned: per-minute quotas want a slower hand. */
export interface LearningProfile {
  firstRate: number
  leastRate: number
  stepMs: number
  growth: number
  firstProbeMs: number
}

export function learningProfile(label: RateLabel): LearningProfile {
  return label === 'RESOURCE-INTENSIVE' ? PER_MINUTE : PER_SECOND
}

/** What was learned before is taken as just below a limit: it is crept up from, not multiplied. */
export function startLearning(
  profile: LearningProfile,
  learned: number | undefined,
  nowMs: number,
): LearnedRate {
  const callsPerSecond = clamp(profile, learned ?? profile.firstRate)
  return {
    callsPerSecond,
    ceiling: learned === undefined ? Number.POSITIVE_INFINITY : callsPerSecond / NEAR_CEILING,
    changedAtMs: nowMs,
    refusedAtMs: Number.NEGATIVE_INFINITY,
    probeAfterMs: profile.firstProbeMs,
  }
}

/**
 * A step of full use without a refusal: faster, by a factor while no limit was met, by a little afterwards.
 */
export function afterQuiet(
  profile: LearningProfile,
  rate: LearnedRate,
  nowMs: number,
): LearnedRate {
  if (nowMs - rate.changedAtMs < profile.stepMs) return rate
  if (rate.ceiling === Number.POSITIVE_INFINITY) {
    const callsPerSecond = clamp(profile, rate.callsPerSecond * profile.growth)
    return { ...rate, callsPerSecond, changedAtMs: nowMs }
  }
  const target = rate.ceiling * NEAR_CEILING
  if (rate.callsPerSecond < target) {
    const creep = rate.callsPerSecond < rate.ceiling * FAR_BELOW ? 2 * CREEP : CREEP
    const callsPerSecond = Math.min(target, rate.callsPerSecond + rate.ceiling * creep)
    return { ...rate, callsPerSecond: clamp(profile, callsPerSecond), changedAtMs: nowMs }
  }
  if (nowMs - Math.max(rate.refusedAtMs, rate.changedAtMs) < rate.probeAfterMs) return rate
  return { ...rate, ceiling: rate.ceiling * PROBE, changedAtMs: nowMs }
}

/**
 * A refusal: back below the rate that met it. Calls that were under way at the time are one refusal with
 * it.
 */
export function afterRefusal(
  profile: LearningProfile,
  rate: LearnedRate,
  nowMs: number,
): LearnedRate {
  const sinceMs = nowMs - rate.refusedAtMs
  if (sinceMs < profile.stepMs * SAME_REFUSAL_STEPS) return rate
  // A token bucket was full again after the last wait: soon after it the rate is still far too high.
  const again = sinceMs < profile.stepMs * SHORTLY_STEPS
  const first = rate.ceiling === Number.POSITIVE_INFINITY
  const probed = !first && !again
  const fall = again ? HARD_FALL : first ? 1 / profile.growth : FALL
  return {
    callsPerSecond: clamp(profile, rate.callsPerSecond * fall),
    ceiling: rate.callsPerSecond,
    changedAtMs: nowMs,
    refusedAtMs: nowMs,
    probeAfterMs: probed ? Math.min(LAST_PROBE_MS, rate.probeAfterMs * 2) : rate.probeAfterMs,
  }
}

function clamp({ leastRate }: LearningProfile, callsPerSecond: number): number {
  return Math.min(MOST_RATE, Math.max(leastRate, callsPerSecond))
}

/** The smallest known quota is one call a second. */
const PER_SECOND: LearningProfile = {
  firstRate: 1,
  leastRate: 0.2,
  stepMs: 1_000,
  growth: 1.5,
  firstProbeMs: 60_000,
}
/** The smallest known quota is ten calls a minute. */
const PER_MINUTE: LearningProfile = {
  firstRate: 9.8 / 60,
  leastRate: 1 / 60,
  stepMs: 120_000,
  growth: 1.25,
  firstProbeMs: 1_200_000,
}
const MOST_RATE = 500
const CREEP = 0.02
const FAR_BELOW = 0.85
const NEAR_CEILING = 0.96
const PROBE = 1.06
const FALL = 0.92
const HARD_FALL = 0.8
const SAME_REFUSAL_STEPS = 1.5
const SHORTLY_STEPS = 10
const LAST_PROBE_MS = 7_200_000
