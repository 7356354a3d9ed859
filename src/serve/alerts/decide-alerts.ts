import { type Cause, nameOfCause } from '../../core/define/cause.ts'

type Level = Cause['level']

/** The state of one cause on one channel. */
export interface KnownAlert {
  /** As by `nameOfCause`. */
  name: string
  cause: Cause
  /** The worst level that was alerted since it began; undefined if it was never alerted. */
  toldLevel: Level | undefined
  /** When it was last alerted or reminded of, in epoch milliseconds. */
  toldMs: number | undefined
  /** The channel was notified of its end, and not alerted since. */
  recovered: boolean
}

export interface AlertRules {
  nowMs: number
  /** The lowest level that is alerted. */
  level: Level
  remindMs: number
}

export interface Decided {
  /** New causes, and causes that became worse since they were alerted. */
  tell: Cause[]
  remind: Cause[]
  recovered: KnownAlert[]
}

/**
 * Decides what a channel should send now. A cause is alerted once, and once more if it turns red. While open,
 * it is reminded of every `remindMs`. Its end is sent once, if the cause was ever alerted. A cause that
 * returns is alerted again, but not within an hour of its last alert. A quiet cause is not alerted.
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

/** Readers of the channel take the cause for open. */
function isOpen({ toldMs, recovered }: KnownAlert): boolean {
  return toldMs !== undefined && !recovered
}

const FLAP_MS = 3_600_000

/** An open cause is reminded of daily, so that each shift sees it. */
export const REMIND_MS = 24 * 3_600_000
