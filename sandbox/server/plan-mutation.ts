import { DAY_MS } from '../../src/core/time/time.ts'
import { hash, pick } from '../base/random.ts'
import { HOUR_MS } from '../base/wire-time.ts'
import { planNumberSettings } from '../numbers/plan-number-settings.ts'
import type { Op } from '../protocol/apply-ops.ts'
import { type Day, drawer } from '../seed-data/draw-rows.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { DEPARTMENTS, LAST_NAMES } from '../seed-data/words.ts'
import { baseStatus } from '../users/users.ts'
import { planRecordings } from '../video/plan-recordings.ts'
import { awaitsQuality } from '../video/sessions.ts'
import { planBoards } from '../whiteboards/plan-boards.ts'

/**
 * Plans the changes of an ordinary day, only where a nightly sync reads again: all users and numbers,
 * sessions of the last three days, archives of the last nine, recordings of the last twelve and the trash,
 * and boards of any age whose date changes. Removes no session report.
 */
export function planMutation(seedData: SeedData, day: Day): Op[] {
  if (day.scale <= 0) return []
  return [
    ...planUsers(seedData, day),
    ...planNumbers(seedData, day),
    ...planSessions(seedData, day),
    ...planWhiteboards(seedData, day),
    ...planRecordings(seedData, day),
    ...planBoards(seedData, day),
    ...planNumberSettings(seedData, day),
  ]
}

function planUsers(seedData: SeedData, day: Day): Op[] {
  const { state, sizes } = seedData
  const draw = drawer(day, 91)
  const all = { from: 0, until: sizes.users }
  const is = (status: string) => (index: number) =>
    !state.users.gone.has(index) &&
    (state.users.patches.get(index)?.status ?? baseStatus(seedData, index)) === status
  const change = (
    index: number,
    patch: Extract<Op, { kind: 'users'; action: 'change' }>['patch'],
  ): Op => ({
    kind: 'users',
    action: 'change',
    index,
    patch,
  })
  const word = (index: number): number => hash(day.seed, 92, index)
  const added = Math.max(1, Math.round(sizes.users * 0.001 * day.scale))
  return [
    ...draw(all, 0.002, is('active')).map((i) =>
      change(i, { last_name: pick(LAST_NAMES, word(i)) }),
    ),
    ...draw(all, 0.001, is('active')).map((i) => change(i, { dept: pick(DEPARTMENTS, word(i)) })),
    ...draw(all, 0.0008, is('active')).map((i) => change(i, { status: 'inactive' })),
    ...draw(all, 0.0003, is('inactive')).map((i) => change(i, { status: 'active' })),
    ...draw(all, 0.001, is('pending')).map((i) => change(i, { status: 'active' })),
    ...draw(all, 0.0005, is('active')).map(
      (index): Op => ({ kind: 'users', action: 'remove', index }),
    ),
    ...draw(all, 0.0002, is('pending')).map(
      (index): Op => ({ kind: 'users', action: 'remove', index }),
    ),
    ...Array.from(
      { length: added },
      (_, n): Op => ({
        kind: 'users',
        action: 'add',
        patch: { status: n % 3 === 0 ? 'pending' : 'active' },
      }),
    ),
  ]
}

function planNumbers(seedData: SeedData, day: Day): Op[] {
  const { state, sizes } = seedData
  const draw = drawer(day, 93)
  const all = { from: 0, until: sizes.numbers }
  const there = (index: number): boolean => !state.numbers.gone.has(index)
  const change = (
    index: number,
    patch: Extract<Op, { kind: 'numbers'; action: 'change' }>['patch'],
  ): Op => ({
    kind: 'numbers',
    action: 'change',
    index,
    patch,
  })
  const user = (index: number): number => hash(day.seed, 94, index) % Math.max(1, sizes.users)
  const renamed = `Renamed line ${String(day.seed)}`
  const added = Math.max(1, Math.round(sizes.numbers * 0.001 * day.scale))
  return [
    ...draw(all, 0.002, there).map((i) =>
      change(i, { allocated_product: 'SVC_PHONE', assignee: user(i), label: 'Handed over' }),
    ),
    ...draw(all, 0.001, there).map((i) => change(i, { display_name: renamed })),
    ...draw(all, 0.0008, there).map((i) => change(i, { addressMended: true, status: 'Normal' })),
    ...draw(all, 0.001, there).map((index): Op => ({ kind: 'numbers', action: 'remove', index })),
    ...Array.from({ length: added }, (): Op => ({ kind: 'numbers', action: 'add' })),
  ]
}

/** Rates about half of the sessions that still lack ratings, and adds a few sessions. */
function planSessions(seedData: SeedData, day: Day): Op[] {
  const { state, sessionTimes, sizes } = seedData
  const recent = {
    from: sessionTimes.firstAtOrAfter(seedData.originMs - 3 * DAY_MS),
    until: sizes.sessions,
  }
  const late = drawer(day, 95)(recent, 0.17, (index) => awaitsQuality(seedData, state, index))
  const added = Math.max(1, Math.round(sizes.sessions * 0.0005 * day.scale))
  return [
    ...late.map(
      (index): Op => ({ kind: 'sessions', action: 'change', index, patch: { lateQuality: true } }),
    ),
    ...Array.from(
      { length: added },
      (_, n): Op => ({
        kind: 'sessions',
        action: 'add',
        patch: { startMs: recently(day, n, 24), lateQuality: n % 2 === 0 },
      }),
    ),
  ]
}

/**
 * Adds activities to archives of the last nine days, and new archives. After a known sync, only archives that
 * were new to it grow, because a sync stops reading an archive whose activities were equal on two days.
 */
function planWhiteboards(seedData: SeedData, day: Day): Op[] {
  const { state, whiteboardTimes, sizes } = seedData
  const { nowMs, sinceMs } = day
  const fromMs = sinceMs === undefined ? nowMs - 9 * DAY_MS : sinceMs - DAY_MS
  const recent = {
    from: whiteboardTimes.firstAtOrAfter(fromMs),
    until: sizes.whiteboards,
  }
  const grown = drawer(day, 96)(recent, 0.06, () => true)
  const added = Math.max(1, Math.round(sizes.whiteboards * 0.001 * day.scale))
  return [
    ...grown.map(
      (index): Op => ({
        kind: 'whiteboards',
        action: 'change',
        index,
        patch: {
          moreActivities:
            (state.whiteboards.patches.get(index)?.moreActivities ?? 0) +
            1 +
            (hash(day.seed, 97, index) % 5),
        },
      }),
    ),
    ...Array.from(
      { length: added },
      (_, n): Op => ({
        kind: 'whiteboards',
        action: 'add',
        patch: { startMs: recently(day, n + 500, 30) },
      }),
    ),
  ]
}

/** Returns a drawn instant that is at least four hours ago, so that anything that starts then has ended. */
function recently(day: Day, n: number, hours: number): number {
  const ms = day.nowMs - 4 * HOUR_MS - (hash(day.seed, 98, n) % (hours * 3600)) * 1000
  return Math.floor(ms / 1000) * 1000
}
