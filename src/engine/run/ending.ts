import {
  AuthenticationError,
  type CallsheetError,
  ConfigurationError,
  MissingScopeError,
  RateLimitedError,
} from '../../core/errors/errors.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { RunResult, SliceCounts } from './run-types.ts'

/** How an attempt at due work ended, as far as the next attempt depends on it. */
export type Ending =
  /** All of it was done. */
  | { kind: 'done' }
  /** It failed, or something of it is missing: another try may help. */
  | { kind: 'again' }
  /** Somebody stopped it, or its process died. */
  | { kind: 'interrupted' }
  /** The day's quota is spent until then, in epoch milliseconds. */
  | { kind: 'at'; atMs: number }
  /** No other try helps before a person has done something. */
  | { kind: 'person' }

/**
 * Of a run. One that was refused all that it asked for needs a person. So does one whose only fault is a drop
 * that waits for an approval: every slice was read, and every file that is due is there.
 */
export function endingOf(
  { state, slices, trippedGuards, files, error }: RunEnd,
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
  const waits = trippedGuards.length > 0 && readAll && (files?.pending ?? 0) === 0
  return { kind: refused || waits ? 'person' : 'again' }
}

type RunEnd = Pick<RunResult, 'state' | 'slices' | 'trippedGuards' | 'files' | 'error'>

/** Of work that an error ended. */
export function endingOfError(error: unknown, nowMs: number): Ending {
  if (error instanceof RateLimitedError && error.scope === 'daily')
    return { kind: 'at', atMs: Math.max(error.untilMs, nowMs) }
  const person = PERSON.some((kind) => error instanceof kind)
  return { kind: person ? 'person' : 'again' }
}

/** The daily quotas begin anew at 00:00 UTC. */
export function nextReset(nowMs: number): number {
  return (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS
}

const PERSON: readonly (new (...args: never[]) => CallsheetError)[] = [
  ConfigurationError,
  AuthenticationError,
  MissingScopeError,
]
