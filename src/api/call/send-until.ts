import { meansDeleted, meansWithheld } from '../../core/define/answer-meaning.ts'
import type { Observer } from '../../core/define/observer.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import {
  CallsheetError,
  isDaySpent,
  RateLimitedError,
  ServiceError,
  StoreError,
} from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { decideRetry, type RetryRules, UNREADABLE } from '../answers/retry.ts'
import { documentedWay, isAmbiguous, type PathWays } from './request-address.ts'
import type { Call } from './send.ts'

interface Persisting {
  clock: Clock
  random: () => number
  observer: Observer
  rules: RetryRules
}

/** Sends a call until it succeeds or its error is final. It waits outside the governor's slots. */
export async function persist<T>(
  { clock, random, observer, rules }: Persisting,
  { operation, signal }: { operation: Operation; signal: AbortSignal | undefined },
  attempt: () => Promise<T>,
): Promise<T> {
  let tries = 0
  let rateRefusals = 0
  let unreadable = 0
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      // Not the service's fault: the code that stores the file reports it.
      if (error instanceof StoreError) throw error
      if (error instanceof RateLimitedError) rateRefusals++
      else tries++
      unreadable = (error as { code?: unknown }).code === UNREADABLE ? unreadable + 1 : 0
      const state = { tries, rateRefusals, nowMs: clock.now(), random, unreadable }
      const decision = decideRetry(error, state, rules)
      // An answer that the operation declares as "deleted" is a result, not a failure.
      const answered = meansDeleted(operation, error)
      observer.event(answered ? 'api.gone' : 'api.failed', {
        operation: operation.id,
        code: error instanceof CallsheetError ? error.code : (error as Error).name,
        reason: error instanceof CallsheetError ? error.facts.came : undefined,
        tries,
        // Only a warning: the call may still be sent in another way, and the run reports lost records. An
        // exhausted daily quota reaches every waiting call, and the run reports it once.
        level: answered ? undefined : isDaySpent(error) ? 'debug' : 'warn',
        again: decision.again,
        ...(decision.again && {
          wait_ms: Math.round(decision.waitMs),
          until: new Date(state.nowMs + decision.waitMs).toISOString(),
          limit: decision.limit,
        }),
      })
      if (!decision.again) throw error
      if (decision.waitMs > 0) await clock.sleep(decision.waitMs, signal)
    }
  }
}

/**
 * Sends a call with its IDs encoded as documented, then in the other ways if the record is not found: a wrong
 * encoding must never make a record look deleted. A write may be repeated too: the refused one did nothing.
 */
export async function inEachWay<T>(
  call: Call<T>,
  attempt: (call: Call<T>) => Promise<T>,
): Promise<T> {
  const { operation } = call
  const ways = waysOf(call)
  const vague: PathWays[] = []
  let unfound: ServiceError | undefined
  for (const way of ways)
    try {
      return await attempt({ ...call, ways: way })
    } catch (error) {
      if (ways.length === 1 || !meansUnfound(operation, error)) throw error
      if (error.status !== 400 && !meansDeleted(operation, error)) vague.push(way)
      unfound = unfound === undefined ? error : weightier(operation, unfound, error)
    }
  // Before a record counts as deleted, the unclear answers are checked again: a proxy may have sent them.
  const isDoubtful = operation.method === 'GET' && meansDeleted(operation, unfound)
  for (const way of isDoubtful ? vague : [])
    for (let times = 0; times < TIMES_AGAIN; times++)
      try {
        return await attempt({ ...call, ways: way })
      } catch (error) {
        if (!meansUnfound(operation, error)) throw error
      }
  // There is always at least one way.
  throw unfound as ServiceError
}

function weightier(operation: Operation, one: ServiceError, other: ServiceError): ServiceError {
  // A declared deletion outweighs a plain 404, but not a 400: another parameter may be invalid.
  if (one.status === 404 && meansDeleted(operation, other)) return other
  // A 400 outweighs a plain 404, but not a declared deletion.
  return other.status === 400 && !meansDeleted(operation, one) ? other : one
}

/** Returns true if the answer may mean that the service did not recognize the ID. */
function meansUnfound(operation: Operation, error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.retry.kind !== 'never') return false
  if (meansWithheld(operation, error)) return false
  const { status, serviceCode } = error
  if (meansDeleted(operation, error) || status === 404 || status === 410) return true
  // A service may call an ID invalid if it cannot read it. For a write that is not certain enough.
  if (operation.method !== 'GET' || (status !== 400 && status !== 405)) return false
  const declared = operation.errors?.find(
    (one) => one.status === status && one.code === serviceCode,
  )
  return declared?.forbids !== true
}

/** Returns the ways to encode a call's IDs that give different paths, the documented one first. */
function waysOf({ operation, args }: { operation: Operation; args: CallArguments }) {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return names.reduce<PathWays[]>(
    (all, name) => {
      const id = args.path?.[name] ?? ''
      if (!isAmbiguous(id)) return all
      const first = documentedWay(operation, name, id)
      const other = first === 'once' ? ('twice' as const) : ('once' as const)
      return [first, other].flatMap((way) => all.map((ways) => ({ ...ways, [name]: way })))
    },
    [{}],
  )
}

/** Repetitions of a call: if a proxy spoils every 20th call, it spoils three in a row once in 8,000 times. */
const TIMES_AGAIN = 2
