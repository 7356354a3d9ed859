import { type Cause, nameOfCause } from '../../core/define/cause.ts'

type Level = Cause['level']

/** The state of one cause on one channel. */
export interface KnownAlert {
  /** The cause's name, from `nameOfCause`. */
  name: string
  cause: Cause
  /** The worst level that was sent since the cause began; undefined if none was sent. */
  toldLevel: Level | undefined
  /** When the cause's last alert or reminder was sent, in epoch milliseconds. */
  toldMs: number | undefined
  /** Whether the cause ended, with or without a message, and no alert was sent since then. */
  recovered: boolean
}

export interface AlertRules {
  nowMs: number
  /** The lowest level that is sent. */
  level: Level
  remindMs: number
}

export interface Decided {
  /** Causes to send as an alert: new ones, and ones that turned red since their last alert. */
  tell: Cause[]
  remind: Cause[]
  recovered: KnownAlert[]
}

/**
 * Decides which alerts a channel should send now. A cause is sent once, and again if it turns red. While it
 * is open, a reminder follows every `remindMs`. Its end is sent once, if the cause was ever sent. A cause
 * that returns is sent as a new alert if its last message is at least an hour old. While a cause is quiet,
 * neither an alert nor a reminder of it is sent.
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

/** Returns true if the channel was notified of the cause and not of its end. */
function isOpen({ toldMs, recovered }: KnownAlert): boolean {
  return toldMs !== undefined && !recovered
}

const FLAP_MS = 3_600_000

/** The time between two reminders of an open cause. */
export const REMIND_MS = 24 * 3_600_000
