import {
  AuthenticationError,
  type CallsheetError,
  ConfigurationError,
  MissingScopeError,
  RateLimitedError,
} from '../core/errors.ts'
import type { Ending } from '../core/time/ending.ts'
import { DAY_MS } from '../core/time/time.ts'
import type { RunResult, SliceCounts } from './run/run-types.ts'

/**
 * How a run ended, which decides when it starts again. Without an error, it waits for a person in two cases:
 * first, if the service refused all its slices; second, if no file is pending, and either a deletion guard
 * tripped although every slice was read or refused, or only a person can settle the run's problems.
 */
export function endingOf(
  { state, slices, trippedGuards, needsPerson = false, files, error }: RunEnd,
  nowMs: number,
): Ending {
  if (state === 'complete') return { kind: 'done' }
  if (state === 'interrupted') return { kind: 'interrupted' }
  if (error !== undefined) return endingOfError(error, nowMs)
  if (state === 'paused') return { kind: 'at', atMs: nextReset(nowMs) }
  const counts = Object.values(slices)
  const sum = (of: keyof SliceCounts): number => counts.reduce((total, one) => total + one[of], 0)
  const refused = sum('notAllowed') > 0 && sum('notAllowed') === sum('planned')
  const readAll = sum('complete') + sum('notAllowed') === sum('planned')
  const settled = (trippedGuards.length > 0 && readAll) || needsPerson
  const waits = settled && (files?.pending ?? 0) === 0
  return { kind: refused || waits ? 'person' : 'again' }
}

type RunEnd = Pick<
  RunResult,
  'state' | 'slices' | 'trippedGuards' | 'needsPerson' | 'files' | 'error'
>

export function endingOfError(error: unknown, nowMs: number): Ending {
  if (error instanceof RateLimitedError && error.scope === 'daily')
    return { kind: 'at', atMs: Math.max(error.untilMs, nowMs) }
  const person = PERSON.some((kind) => error instanceof kind)
  return { kind: person ? 'person' : 'again' }
}

/** Daily quotas reset at 00:00 UTC. */
export function nextReset(nowMs: number): number {
  return (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS
}

const PERSON: readonly (new (...args: never[]) => CallsheetError)[] = [
  ConfigurationError,
  AuthenticationError,
  MissingScopeError,
]
