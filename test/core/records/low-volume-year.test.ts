import { describe, expect, it } from 'vitest'
import { type DailyCounts, lowStretches } from '../../../src/core/records/low-volume.ts'
import { DAYS, type Series, streams, until, type World, yearOf } from './years.ts'

const PARTS: readonly Series[] = [
  { stream: 'files', usual: 2, of: 's2' },
  { stream: 'activities', usual: 8, of: 's1' },
]
const NOTIFICATIONS: readonly Series[] = [
  { stream: 'visits', usual: 30, notifications: true },
  { stream: 'bookings', usual: 40, notifications: true },
  { stream: 'sensors', usual: 400, weekend: 1, holiday: 1, notifications: true },
  { stream: 'alerts', usual: 4, weekend: 0.9, holiday: 0.9, notifications: true },
]
const ALL = [...streams(60, 12, 25), ...PARTS, ...NOTIFICATIONS]

const WORLDS = {
  'a company': { series: streams(60, 12, 25), spread: 0.15, weekend: 0.02 },
  'a company that is busy every day': { series: streams(200, 80, 90), spread: 0.1, weekend: 0.8 },
  'a small office': { series: streams(5, 1, 2), spread: 0.4, weekend: 0 },
  'a company that grows': {
    series: streams(40, 10, 10),
    spread: 0.2,
    weekend: 0.05,
    growth: 4,
  },
  'a company that shrinks': {
    series: streams(60, 15, 20),
    spread: 0.2,
    weekend: 0.05,
    growth: 0.2,
  },
  'a new account': { series: streams(50, 20, 20), spread: 0.2, weekend: 0.02, beginsAt: 150 },
  'one stream alone': { series: streams(30), spread: 0.2, weekend: 0 },
  'a company with files and notifications': { series: ALL, spread: 0.2, weekend: 0.03 },
  'a company that half works on holidays': {
    series: ALL,
    spread: 0.2,
    weekend: 0.1,
    holiday: 0.2,
  },
  'notifications alone': { series: NOTIFICATIONS, spread: 0.2, weekend: 0.03 },
  'slow streams': { series: streams(2, 1, 0.5, 0.2), spread: 0.4, weekend: 0 },
  'slow streams beside others': {
    series: streams(60, 25, 2, 1, 0.5, 0.2),
    spread: 0.4,
    weekend: 0.02,
  },
  'slow streams of a new account': {
    series: streams(20, 2, 1, 0.5),
    spread: 0.4,
    weekend: 0.02,
    beginsAt: 150,
  },
} satisfies Record<string, World>
const ACCOUNTS = 6

describe('in a year without a fault,', () => {
  it.each(Object.entries<World>(WORLDS))(
    '%s receives at most one false alarm, except for one account in six',
    (_name, world) => {
      const alarms = Array.from({ length: ACCOUNTS }, (_, seed) => falseAlarms(yearOf(world, seed)))
      expect(alarms.filter((count) => count > 1).length).toBeLessThanOrEqual(ACCOUNTS / 6)
      expect(alarms.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(ACCOUNTS + 1)
    },
  )
})

/** A Tuesday between the holidays. */
const FROM = 7 * 37 + 1

describe('a stream that falls silent on a working day', () => {
  it.each<[keyof typeof WORLDS, readonly string[]]>([
    ['a company', ['s0']],
    ['a company that is busy every day', ['s0']],
    ['a company that grows', ['s0']],
    ['a new account', ['s0']],
    ['a company with files and notifications', ['s0']],
    ['a company with files and notifications', ['files']],
    ['a company with files and notifications', ['activities']],
    ['a company with files and notifications', ['visits']],
    ['a company with files and notifications', ['sensors']],
    ['a company with files and notifications', ['s2', 'files']],
    ['a company with files and notifications', NOTIFICATIONS.map(({ stream }) => stream)],
    ['notifications alone', ['visits']],
  ])('is reported within two nights, except for one account in six: in %s, %s', (name, silent) => {
    const late = silences(WORLDS[name], silent, FROM + 2).filter((of) => !of.includes(silent[0]))
    expect(late.length).toBeLessThanOrEqual(ACCOUNTS / 6)
  })

  it('is reported without the streams that belong to it', () => {
    const found = silences(
      WORLDS['a company with files and notifications'],
      ['s2', 'files'],
      FROM + 10,
    )
    expect(found).toEqual(Array.from({ length: ACCOUNTS }, () => ['s2']))
  })

  it.each([
    ['s2', 10],
    ['s3', 18],
    ['s4', 38],
  ])(
    'is reported even if it has few records, except for one account in six: %s, after %i working days',
    (slow, days) => {
      const world = WORLDS['slow streams beside others']
      const night = FROM + Math.ceil((days * 7) / 5) + 7
      const late = silences(world, [slow], night).filter((found) => !found.includes(slow))
      expect(late.length).toBeLessThanOrEqual(ACCOUNTS / 6)
    },
  )

  it('stays reported for 100 days', () => {
    const world = WORLDS['a company with files and notifications']
    for (const night of [FROM + 30, FROM + 60, FROM + 100])
      for (const found of silences(world, ['s0', 'visits'], night))
        expect(found).toEqual(expect.arrayContaining(['s0', 'visits']))
  })
})

/** The streams that are reported as silent in a night, for each account. */
function silences(
  world: World,
  silent: readonly string[],
  night: number,
): (string | undefined)[][] {
  return Array.from({ length: ACCOUNTS }, (_, seed) => {
    const year = yearOf(world, seed).map((one) =>
      silent.includes(one.stream)
        ? { ...one, counts: one.counts.map((n, at) => (at < FROM ? n : 0)) }
        : one,
    )
    return lowStretches(until(year, night)).flatMap(({ open, stream }) => (open ? [stream] : []))
  })
}

/** How many new alarms the year has, with each night judged by the days before it. */
function falseAlarms(year: readonly DailyCounts[]): number {
  let [alarms, last] = [0, new Set<string>()]
  for (let night = 30; night <= DAYS; night++) {
    const open = lowStretches(until(year, night)).filter((one) => one.open)
    const now = new Set(open.map(({ general, stream }) => (general ? 'all' : stream)))
    alarms += [...now].filter((name) => !last.has(name)).length
    last = now
  }
  return alarms
}
