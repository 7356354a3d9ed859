import type { Window } from '../core/time/spans.ts'
import { DAY_MS } from '../core/time/time.ts'
import { orderByDeadline, type PriorityRule } from './archive-order.ts'
import type { ArchiveSession } from './sql/session-facts.ts'

/** A session with archives to fetch, and the calls needed to fetch them. */
export interface PendingSession extends ArchiveSession {
  /** The time span of the session's activities, if known. */
  span?: Window | undefined
  archives: number
  /** Calls needed to list the session again, because download addresses expire. */
  pages: number
}

export interface LostSession extends PendingSession {
  /** Archives that will expire before they can be fetched. */
  lost: number
}

export interface Horizon {
  hours: number
  archives: number
  sessions: number
  /** Calls needed to fetch all these archives: the list calls, and one for each archive. */
  calls: number
  /** How many calls the quota allows within these hours; undefined if unknown. */
  allowed: number | undefined
  lost: number
}

export interface Deadlines {
  /** The forecasts for the next 24 hours and for the next 7 days. */
  horizons: Horizon[]
  /** Whether the quota suffices; undefined if neither a rate nor a daily quota is known. */
  suffices: boolean | undefined
  /** The last deadline with too few calls for all archives due by then; undefined if none, or unknown. */
  scarceUntilMs: number | undefined
  /** Ordered by priority rule, then by deadline. */
  lost: LostSession[]
}

export interface DeadlineRules {
  rules: readonly PriorityRule[]
  nowMs: number
  /** Returns how many calls can be made until an instant; undefined if unknown. */
  callsUntil: ((untilMs: number) => number) | undefined
}

/**
 * Forecasts whether the quota suffices for all archives that expire within seven days, and which ones will be
 * lost.
 */
export function forecastDeadlines(
  sessions: readonly PendingSession[],
  { rules, nowMs, callsUntil }: DeadlineRules,
): Deadlines {
  const lastMs = lastHorizonMs(nowMs)
  const due = orderByDeadline(
    sessions.filter(({ expiresAtMs, archives }) => archives > 0 && expiresAtMs <= lastMs),
    { rules, suffices: true },
  )
  const scarceUntilMs = callsUntil === undefined ? undefined : lastMissed(due, callsUntil)
  const scarce = due.filter(({ expiresAtMs }) => expiresAtMs <= (scarceUntilMs ?? 0))
  const lost = callsUntil === undefined ? [] : loseByPriority(scarce, { rules, callsUntil })
  const horizons = HORIZON_HOURS.map((hours): Horizon => {
    const untilMs = nowMs + hours * HOUR_MS
    const within = due.filter(({ expiresAtMs }) => expiresAtMs <= untilMs)
    const lostWithin = lost.filter(({ expiresAtMs }) => expiresAtMs <= untilMs)
    return {
      hours,
      archives: sum(within, ({ archives }) => archives),
      sessions: within.length,
      calls: sum(within, costOf),
      allowed: callsUntil?.(untilMs),
      lost: sum(lostWithin, (one) => one.lost),
    }
  })
  const suffices = callsUntil === undefined ? undefined : lost.length === 0
  return { horizons, suffices, scarceUntilMs, lost }
}

/** The next session, and how many of its archives to fetch in this turn. */
export interface FetchTurn<T> {
  session: T
  archives: number
  /** True if the forecast expects to lose these archives. */
  givenUp: boolean
}

/**
 * Returns the order of fetching. If the quota suffices or is unknown, it is by deadline. Otherwise it has
 * three parts: archives that can be saved and expire by the last deadline with too few calls, by deadline;
 * archives that the forecast gives up, by priority; the others, by deadline. A session may have two turns.
 */
export function orderForFetching<T extends PendingSession>(
  sessions: readonly T[],
  options: DeadlineRules,
): FetchTurn<T>[] {
  const { rules, callsUntil } = options
  const { lost } = forecastDeadlines(sessions, options)
  const byDeadline = orderByDeadline(sessions, { rules, suffices: true })
  if (lost.length === 0 || callsUntil === undefined)
    return turnsOf(byDeadline, ({ archives }) => archives, false)
  const lostOf = new Map(lost.map((one) => [one.session, one.lost]))
  const givenUp = ({ session }: T): number => lostOf.get(session) ?? 0
  const kept = (session: T): number => session.archives - givenUp(session)
  // The list calls of sessions with two turns count twice.
  const twice = sum(
    byDeadline.filter((one) => givenUp(one) > 0 && kept(one) > 0),
    ({ pages }) => pages,
  )
  const near = byDeadline.filter(({ expiresAtMs }) => expiresAtMs <= lastHorizonMs(options.nowMs))
  const scarceUntilMs = lastMissed(near, (untilMs) => callsUntil(untilMs) - twice) ?? 0
  const isScarce = ({ expiresAtMs }: T): boolean => expiresAtMs <= scarceUntilMs
  const byPriority = orderByDeadline(sessions, { rules, suffices: false })
  return [
    ...turnsOf(byDeadline.filter(isScarce), kept, false),
    ...turnsOf(byPriority, givenUp, true),
    ...turnsOf(
      byDeadline.filter((session) => !isScarce(session)),
      kept,
      false,
    ),
  ]
}

function turnsOf<T>(
  sessions: readonly T[],
  archivesOf: (session: T) => number,
  givenUp: boolean,
): FetchTurn<T>[] {
  return sessions
    .map((session) => ({ session, archives: archivesOf(session), givenUp }))
    .filter(({ archives }) => archives > 0)
}

/** Returns the last deadline with too few calls for all archives due by then. `due` is sorted by deadline. */
function lastMissed(
  due: readonly PendingSession[],
  callsUntil: (untilMs: number) => number,
): number | undefined {
  let calls = 0
  let missed: number | undefined
  for (const [at, session] of due.entries()) {
    calls += costOf(session)
    const { expiresAtMs } = session
    if (due[at + 1]?.expiresAtMs === expiresAtMs) continue
    if (calls > callsUntil(expiresAtMs)) missed = expiresAtMs
  }
  return missed
}

/**
 * Gives calls to sessions in order of priority; archives for which no calls are left are lost. Twenty
 * thousand sessions with as many deadlines take half a second.
 */
function loseByPriority(
  scarce: readonly PendingSession[],
  {
    rules,
    callsUntil,
  }: { rules: readonly PriorityRule[]; callsUntil: (untilMs: number) => number },
): LostSession[] {
  const deadlines = [...new Set(scarce.map(({ expiresAtMs }) => expiresAtMs))]
  const places = new Map(deadlines.map((deadline, at) => [deadline, at]))
  // A call used before one deadline is missing before all later ones too.
  const spare = Float64Array.from(deadlines, callsUntil)
  const lost: LostSession[] = []
  for (const session of orderByDeadline(scarce, { rules, suffices: false })) {
    const { archives, pages, expiresAtMs } = session
    const place = places.get(expiresAtMs) ?? 0
    let least = Number.POSITIVE_INFINITY
    for (let at = place; at < spare.length; at++) least = Math.min(least, spare[at] ?? 0)
    const kept = Math.max(0, Math.min(archives, least - pages))
    if (kept > 0) for (let at = place; at < spare.length; at++) spare[at]! -= kept + pages
    if (kept < archives) lost.push({ ...session, lost: archives - kept })
  }
  return lost
}

/** Returns how many calls list a session again and fetch its archives. */
export function costOf({ pages, archives }: Pick<PendingSession, 'pages' | 'archives'>): number {
  return pages + archives
}

function lastHorizonMs(nowMs: number): number {
  return nowMs + LAST_HORIZON_HOURS * HOUR_MS
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

const HOUR_MS = 3_600_000
const LAST_HORIZON_HOURS = (7 * DAY_MS) / HOUR_MS
const HORIZON_HOURS = [24, LAST_HORIZON_HOURS]
