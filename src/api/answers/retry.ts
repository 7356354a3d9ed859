import { CallsheetError, RateLimitedError } from '../../core/errors.ts'
import { PROXY_REFUSED } from './proxy-word.ts'
import { NO_SUCH_HOST } from './transport-faults.ts'

export interface RetryRules {
  /** Every send counts, the first one too. */
  maxTries: number
  baseMs: number
  capMs: number
}

export const RETRY_RULES: RetryRules = { maxTries: 8, baseMs: 1_000, capMs: 60_000 }

/**
 * How often one call may be refused for its rate: each time the whole label has waited as long as the
 * service asked.
 */
const MAX_RATE_REFUSALS = 40

/** The code of nothing in place of a list. */
export const NOTHING_CAME = 'nothing_came'

/** The code of a label of which no call is answered any more. */
export const ALWAYS_LIMITED = 'always_limited'

/** The code of a whole answer that is not what was due, whatever it is instead. */
export const UNREADABLE = 'not_the_due_json'

const FEW_TRIES = 3
/** Who asks for a longer rest is left to the next run: this one keeps the account from all others. */
const LONGEST_WAIT_MS = 900_000
/**
 * A file that comes out wrong three times does so again, and each try may be long. So does an empty list that
 * is answered with nothing.
 */
const SELDOM_PASSING = new Set([
  NO_SUCH_HOST,
  NOTHING_CAME,
  PROXY_REFUSED,
  'wrong_length',
  'wrong_digest',
  'no_file',
  'page_for_file',
  'length_unknown',
  'too_slow',
])

export type RetryDecision = { again: false } | { again: true; waitMs: number; counts: boolean }

export interface RetryState {
  /** Sends that ended in a fault, this one included. */
  tries: number
  rateRefusals: number
  nowMs: number
  random: () => number
  /**
   * How many answers in a row could not be read, this one included: a passing fault spoils one or two, and
   * what is not the service will not become it.
   */
  unreadable?: number
}

/**
 * Whether a failed call is sent again, and after how long. A pure verdict on the error's own: only reads
 * are judged here. A rate 429 is no fault of the call: the governor holds the whole label, so the call
 * itself need not wait.
 */
export function decideRetry(
  error: unknown,
  state: RetryState,
  rules: RetryRules = RETRY_RULES,
): RetryDecision {
  if (!(error instanceof CallsheetError)) return { again: false }
  if (error instanceof RateLimitedError) {
    return error.scope === 'rate' && state.rateRefusals < MAX_RATE_REFUSALS
      ? { again: true, waitMs: 0, counts: false }
      : { again: false }
  }
  const verdict = error.retry
  if (verdict.kind === 'never' || verdict.kind === 'renew-token') return { again: false }
  if ((state.unreadable ?? 0) >= FEW_TRIES) return { again: false }
  if (state.tries >= Math.min(mostTries(error), rules.maxTries)) return { again: false }
  const askedMs = verdict.kind === 'wait' ? verdict.untilMs - state.nowMs : 0
  if (askedMs > LONGEST_WAIT_MS) return { again: false }
  const waitMs = Math.max(backoffMs(state.tries, state.random, rules), askedMs)
  return { again: true, waitMs, counts: true }
}

function mostTries({ code, retry }: CallsheetError): number {
  if (code === ALWAYS_LIMITED) return 1
  if (retry.kind === 'once') return 2
  return SELDOM_PASSING.has(code) ? FEW_TRIES : Number.POSITIVE_INFINITY
}

/** Full jitter: anywhere between nothing and a bound that doubles with each try. */
export function backoffMs(
  tries: number,
  random: () => number,
  rules: RetryRules = RETRY_RULES,
): number {
  return random() * Math.min(rules.capMs, rules.baseMs * 2 ** Math.max(0, tries - 1))
}
