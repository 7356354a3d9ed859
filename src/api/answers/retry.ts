import { CallsheetError, RateLimitedError } from '../../core/errors.ts'
import { PROXY_REFUSED } from './proxy-fault.ts'
import { NO_SUCH_HOST } from './transport-faults.ts'

export interface RetryRules {
  /** Includes the first send. Sends that the rate limit refused do not count. */
  maxTries: number
  baseMs: number
  capMs: number
}

/** How often a call is sent, and its waits after faults. The usual wait after HTTP 429 is in `refusal.ts`. */
export const RETRY_RULES: RetryRules = { maxTries: 8, baseMs: 1_000, capMs: 60_000 }

/**
 * How many rate refusals one call may have. Before each retry, its whole label has waited as long as the
 * service requested.
 */
const MAX_RATE_REFUSALS = 40

/** The error code of an empty answer in place of a list. */
export const EMPTY_ANSWER = 'empty_answer'

/** The error code of a label whose calls are all refused. */
export const ALWAYS_LIMITED = 'always_limited'

/** The error code of an answer that is not the expected JSON. */
export const UNREADABLE = 'unexpected_answer'

const FEW_TRIES = 3
/** A call that must wait longer fails, and the next run repeats it: a waiting run blocks the account. */
const LONGEST_WAIT_MS = 900_000
/**
 * Faults that rarely pass. A call with `FEW_TRIES` faults is not sent again after one of these. Each try of a
 * file may be long. A service that sends nothing for an empty list does so each time.
 */
const SELDOM_PASSING = new Set([
  NO_SUCH_HOST,
  EMPTY_ANSWER,
  PROXY_REFUSED,
  'wrong_length',
  'no_file',
  'page_for_file',
  'length_unknown',
  'too_slow',
])

export type RetryDecision =
  | { again: false }
  | {
      again: true
      waitMs: number
      /** The maximum number of times the call is sent; undefined if this fault does not count. */
      limit: number | undefined
    }

export interface RetryState {
  /** Sends that ended in a fault other than a rate refusal, including this one. */
  tries: number
  rateRefusals: number
  nowMs: number
  random: () => number
  /**
   * Consecutive unreadable answers, including this one. A passing fault causes one or two; more of them
   * suggest a server that is not the service.
   */
  unreadable?: number
}

/**
 * Decides whether a failed call is sent again, and after how long, by the error's own verdict. After a rate
 * 429 the call itself need not wait, because the governor pauses the whole label.
 */
export function decideRetry(
  error: unknown,
  state: RetryState,
  rules: RetryRules = RETRY_RULES,
): RetryDecision {
  if (!(error instanceof CallsheetError)) return { again: false }
  if (error instanceof RateLimitedError) {
    return error.scope === 'rate' && state.rateRefusals < MAX_RATE_REFUSALS
      ? { again: true, waitMs: 0, limit: undefined }
      : { again: false }
  }
  const verdict = error.retry
  if (verdict.kind === 'never' || verdict.kind === 'renew-token') return { again: false }
  if ((state.unreadable ?? 0) >= FEW_TRIES) return { again: false }
  const limit = Math.min(mostTries(error), rules.maxTries)
  if (state.tries >= limit) return { again: false }
  const askedMs = verdict.kind === 'wait' ? verdict.untilMs - state.nowMs : 0
  if (askedMs > LONGEST_WAIT_MS) return { again: false }
  const waitMs = Math.max(backoffMs(state.tries, state.random, rules), askedMs)
  return { again: true, waitMs, limit }
}

function mostTries({ code, retry }: CallsheetError): number {
  if (code === ALWAYS_LIMITED) return 1
  if (retry.kind === 'once') return 2
  return SELDOM_PASSING.has(code) ? FEW_TRIES : Number.POSITIVE_INFINITY
}

/** Full jitter: a random wait between zero and a limit that doubles with each try. */
export function backoffMs(
  tries: number,
  random: () => number,
  rules: RetryRules = RETRY_RULES,
): number {
  return random() * Math.min(rules.capMs, rules.baseMs * 2 ** Math.max(0, tries - 1))
}
