import { type Cause, nameOfCause } from '../../core/define/cause.ts'

type Level = Cause['level']

/** What one channel knows of one cause. */
export interface KnownAlert {
  /** As by `nameOfCause`. */
  name: string
  cause: Cause
  /** The gravest level that it was told with since it began; undefined if it was never told. */
  toldLevel: Level | undefined
  /** When it was last told or reminded of, in epoch milliseconds. */
  toldMs: number | undefined
  /** That it is over was told, and it has not been told since. */
  recovered: boolean
}

export interface AlertRules {
  nowMs: number
  /** The least grave level that is told. */
  level: Level
  remindMs: number
}

export interface Decided {
  /** Causes that are told as new, and those that became worse than they were told. */
  tell: Cause[]
  remind: Cause[]
  recovered: KnownAlert[]
}

/**
 * What a channel should say now. A cause is told once, and once more if it turns red. While it lasts it is
 * reminded of after each `remindMs`. When it is over, that is told once, if it was ever told. A cause that
 * comes back is told again, but not within an hour of when it was last told. A quiet cause is not told.
 */
export function decideAlerts(
  known: readonly KnownAlert[],
  causes: readonly Cause[],
  { nowMs, level, remindMs }: AlertRules,
): Decided {
  const present = new Map(causes.map((cause) => [nameOfCause(cause), cause]))
  const before = new Map(known.map((alert) => [alert.name, alert]))
  const decided: Decided = { tell: [], remind: [], recovered: [] }
  for (const [name, cause] of present) {
    if (level === 'red' && cause.level === 'amber') continue
    const alert = before.get(name)
    const sinceMs = nowMs - (alert?.toldMs ?? Number.NEGATIVE_INFINITY)
    if (alert === undefined || !isOpen(alert)) {
      if (sinceMs >= FLAP_MS && cause.quiet === undefined) decided.tell.push(cause)
    } else if (cause.quiet !== undefined) continue
    else if (cause.level === 'red' && alert.toldLevel === 'amber') decided.tell.push(cause)
    else if (sinceMs >= remindMs) decided.remind.push(cause)
  }
  for (const alert of known)
    if (isOpen(alert) && !present.has(alert.name)) decided.recovered.push(alert)
  return decided
}

/** Whoever listens to the channel believes that the cause is there. */
function isOpen({ toldMs, recovered }: KnownAlert): boolean {
  return toldMs !== undefined && !recovered
}

const FLAP_MS = 3_600_000

/** A cause that lasts is told again each day: on the day's shift, whoever that is. */
export const REMIND_MS = 24 * 3_600_000
