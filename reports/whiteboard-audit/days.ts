import { sql } from 'kysely'
import type { Window } from '../../src/core/time/spans.ts'
import { uncovered } from '../../src/core/time/uncovered.ts'
import { zonedDayStartMs } from '../../src/core/time/zone.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { whiteboardSessions } from '../../src/resources/whiteboard-archives.ts'
import { addDays } from '../shared/calendar.ts'
import { rowCount } from '../shared/expressions.ts'
import { later, localDay } from '../shared/local-time.ts'
import type { Untimed } from './begun-sessions.ts'
import { unreadSessions } from './read-whole.ts'
import type { AuditSource } from './source.ts'

/**
 * `complete`: all sessions open on the day are known, with all their activities. `not proven`: everything due
 * was read, but there is a doubt, e.g. a long session may be missing. `incomplete`: a part was not read.
 */
export type DayProof = 'complete' | 'not proven' | 'incomplete'

/** Consecutive days with the same state and reason. */
export interface Days {
  from: string
  to: string
  count: number
  state: DayProof
  why: string
}

/** The length, in days, of the longest session that the windows are certain to find. */
export const LONGEST_DAYS = whiteboardSessions.sync.overlapDays

/** Returns what the ledger proves about each day of the period, as of the report's run. */
export async function readDays(source: AuditSource, untimed: Untimed): Promise<Days[]> {
  const { days, timeZone } = source
  const unread = await unreadByDay(source)
  const read = { ...source, slices: await readSlices(source), unread, untimed }
  const judged: Days[] = []
  for (const day of days) {
    const fromMs = zonedDayStartMs(day, timeZone)
    const toMs = zonedDayStartMs(addDays(day, 1), timeZone)
    const { state, why } = judge(read, { fromMs, toMs }, day)
    const last = judged.at(-1)
    if (last?.state === state && last.why === why)
      Object.assign(last, { to: day, count: last.count + 1 })
    else judged.push({ from: day, to: day, count: 1, state, why })
  }
  return judged
}

interface Slice {
  state: string
  owned: Window
  requestedAtMs: number
  quarantined: number
}

interface Read extends AuditSource {
  slices: readonly Slice[]
  unread: ReadonlyMap<string, readonly { why: string; sessions: number }[]>
  untimed: Untimed
}

function judge(read: Read, day: Window, name: string): { state: DayProof; why: string } {
  const { slices } = read
  const complete = slices.filter(({ state }) => state === 'complete')
  const gaps = uncovered(day, complete.map(asFarAsAsked))
  const unread = read.unread.get(name) ?? []
  const lacks = [
    ...new Set(gaps.map((gap) => reasonOf(read, gap))),
    ...unread.map(
      ({ why, sessions }) => `activities of ${counted(sessions, 'session')} not read: ${why}`,
    ),
  ]
  if (lacks.length > 0) return { state: 'incomplete', why: lacks.join('; ') }
  const { disputed } = read.coverage
  if (disputed.length > 0)
    return {
      state: 'not proven',
      why: `the ledger of ${disputed.join(' and ')} differs from the signed entries`,
    }
  const aside = complete.filter(({ owned, quarantined }) => quarantined > 0 && touches(owned, day))
  const records = aside.reduce((sum, { quarantined }) => sum + quarantined, 0)
  const doubts = [
    ...(records === 0 ? [] : [`${counted(records, 'unusable record')} quarantined in its window`]),
    ...lateSessions(day, complete),
    ...withoutTime(read.untimed, day),
  ]
  if (doubts.length > 0) return { state: 'not proven', why: doubts.join('; ') }
  return { state: 'complete', why: 'every window and session was read completely' }
}

/**
 * Returns a reason if sessions of the day may be missing. The list shows a session only after its end, so a
 * session that was still open when the list was read is missing.
 */
function lateSessions(day: Window, complete: readonly Slice[]): string[] {
  const before = { fromMs: day.fromMs - LONGEST_DAYS * DAY_MS, toMs: day.fromMs }
  if (uncovered(before, complete.map(asFarAsAsked)).length > 0)
    return [`sessions that began up to ${LONGEST_DAYS} days earlier may be missing`]
  const settled = complete.map((slice) => {
    const endedMs = slice.requestedAtMs - LONGEST_DAYS * DAY_MS
    return { fromMs: slice.owned.fromMs, toMs: Math.min(slice.owned.toMs, endedMs) }
  })
  if (uncovered({ fromMs: before.fromMs, toMs: day.toMs }, settled).length === 0) return []
  return [
    `sessions that were open when it was read may still appear, up to ${LONGEST_DAYS} days later`,
  ]
}

/** Returns a reason if records without a time may belong to the day: those first seen on it or later. */
function withoutTime({ seen_at }: Untimed, { fromMs }: Window): string[] {
  if (seen_at === null || Date.parse(seen_at) < fromMs) return []
  return ['records without a time may belong to this day']
}

function reasonOf({ slices }: Read, gap: Window): string {
  const failed = slices.find(({ state, owned }) => state !== 'complete' && touches(owned, gap))
  if (failed !== undefined)
    return failed.state === 'not_allowed' ? 'the account may not read it' : 'the read failed'
  const firstMs = slices.reduce((first, { owned }) => Math.min(first, owned.fromMs), Infinity)
  if (slices.length > 0 && gap.fromMs < firstMs)
    return 'earlier than any sync has read (historyDays of the account)'
  const read = slices.some(({ owned }) => touches(owned, gap))
  const lastMs = slices.reduce((last, { requestedAtMs }) => Math.max(last, requestedAtMs), 0)
  if (read || (lastMs > 0 && gap.fromMs >= lastMs)) return 'after the last sync'
  return 'never read'
}

async function readSlices({ db, account, runId }: AuditSource): Promise<Slice[]> {
  const rows = await db
    .selectFrom('callsheet.slices')
    .distinctOn('slice')
    .select(['slice', 'state', 'requested_at', 'quarantined'])
    .select(({ ref }) => [
      ref('owned_from').$notNull().as('owned_from'),
      ref('owned_to').$notNull().as('owned_to'),
    ])
    .where('account', '=', account)
    .where('stream', '=', whiteboardSessions.name)
    .where('owned_from', 'is not', null)
    .where('owned_to', 'is not', null)
    .where('run_id', '<=', runId(whiteboardSessions) ?? 0)
    .orderBy('slice')
    .orderBy('run_id', 'desc')
    .orderBy('finished_at', 'desc')
    .execute()
  return rows.map((row) => ({
    state: row.state,
    owned: { fromMs: Date.parse(row.owned_from), toMs: Date.parse(row.owned_to) },
    requestedAtMs: Date.parse(row.requested_at),
    quarantined: row.quarantined,
  }))
}

async function unreadByDay(source: AuditSource): Promise<Read['unread']> {
  const { db, timeZone } = source
  const began = localDay(sql.ref('u.began'), timeZone)
  const last = localDay(later(sql.ref('u.began'), sql.ref('u.end_time')), timeZone)
  const days = sql<{ day: string }>`
    generate_series(${began}::timestamp, ${last}::timestamp, interval '1 day')`
  const rows = await db
    .selectFrom(unreadSessions(source).as('u'))
    .crossJoinLateral(days.as('day'))
    .select([sql<string>`day.day::date::text`.as('day'), 'u.why', rowCount.as('sessions')])
    .groupBy(['day.day', 'u.why'])
    .orderBy('day.day')
    .orderBy('u.why')
    .execute()
  return Map.groupBy(rows, ({ day }) => day)
}

/** Ends a window at the time of its request, because the window cannot cover later time. */
function asFarAsAsked({ owned, requestedAtMs }: Slice): Window {
  return { fromMs: owned.fromMs, toMs: Math.min(owned.toMs, requestedAtMs) }
}

function touches(window: Window, other: Window): boolean {
  return window.fromMs < other.toMs && window.toMs > other.fromMs
}

const DAY_MS = 86_400_000
