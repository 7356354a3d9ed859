/** What is known of a label whose quota is not: a pure state, moved by answers and time. */
export interface LearnedRate {
  callsPerSecond: number
  /** The lowest rate that was refused of late; the rate creeps below it and tries it again only now and then. */
  ceiling: number
  changedAtMs: number
  refusedAtMs: number
  /** Refusals in short sequence fall harder. */
  refusals: number
  probeAfterMs: number
}

export function startLearning(learned: number | undefined, nowMs: number): LearnedRate {
  return {
    callsPerSecond: clamp(learned ?? FIRST_RATE),
    ceiling: learned === undefined ? Number.POSITIVE_INFINITY : clamp(learned) / NEAR_CEILING,
    changedAtMs: nowMs,
    refusedAtMs: Number.NEGATIVE_INFINITY,
    refusals: 0,
    probeAfterMs: FIRST_PROBE_MS,
  }
}

/** A second of use without a refusal: faster, by a factor while no limit was met, by a little afterwards. */
export function afterQuiet(rate: LearnedRate, nowMs: number): LearnedRate {
  if (nowMs - rate.changedAtMs < STEP_MS) return rate
  if (rate.ceiling === Number.POSITIVE_INFINITY) {
    return { ...rate, callsPerSecond: clamp(rate.callsPerSecond * GROWTH), changedAtMs: nowMs }
  }
  const target = rate.ceiling * NEAR_CEILING
  if (rate.callsPerSecond < target) {
    const callsPerSecond = Math.min(target, rate.callsPerSecond + rate.ceiling * CREEP)
    return { ...rate, callsPerSecond: clamp(callsPerSecond), changedAtMs: nowMs }
  }
  if (nowMs - Math.max(rate.refusedAtMs, rate.changedAtMs) < rate.probeAfterMs) return rate
  return { ...rate, ceiling: rate.ceiling * PROBE, changedAtMs: nowMs }
}

/** A refusal: back below the rate that met it. Calls that were under way at the time are one refusal with it. */
export function afterRefusal(rate: LearnedRate, nowMs: number): LearnedRate {
  if (nowMs - rate.refusedAtMs < SAME_REFUSAL_MS) return rate
  const again = nowMs - rate.refusedAtMs < SHORTLY_MS
  const callsPerSecond = clamp(rate.callsPerSecond * (again ? HARD_FALL : FALL))
  const probed = rate.ceiling !== Number.POSITIVE_INFINITY && !again
  return {
    callsPerSecond,
    ceiling: rate.callsPerSecond,
    changedAtMs: nowMs,
    refusedAtMs: nowMs,
    refusals: rate.refusals + 1,
    probeAfterMs: probed ? Math.min(LAST_PROBE_MS, rate.probeAfterMs * 2) : rate.probeAfterMs,
  }
}

function clamp(callsPerSecond: number): number {
  return Math.min(MAX_RATE, Math.max(MIN_RATE, callsPerSecond))
}

const FIRST_RATE = 2
/** Ten calls a minute, the smallest quota that is known, less a little. */
const MIN_RATE = 0.15
const MAX_RATE = 500
const STEP_MS = 1_000
const GROWTH = 1.5
const CREEP = 0.02
const NEAR_CEILING = 0.96
const PROBE = 1.06
const FALL = 0.92
const HARD_FALL = 0.85
const SAME_REFUSAL_MS = 1_500
const SHORTLY_MS = 10_000
const FIRST_PROBE_MS = 60_000
const LAST_PROBE_MS = 1_800_000
