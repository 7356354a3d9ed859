import type { Counts, Grouping } from '../../reports/session-quality/facts.ts'
import { KINDS } from '../../reports/session-quality/source.ts'
import type { TestedDays } from '../../reports/session-quality/tests.ts'
import { weekOf } from '../../reports/session-quality/weeks.ts'
import { addDays, daysOf, mondayOf, weekdayOf } from '../../reports/shared/calendar.ts'
import type { Share } from '../../reports/shared/statistics.ts'
import { randomOf } from './simulated-random.ts'

/** The sessions of a simulated account and their quality, which is constant except for `shift`. */
export interface World {
  keys: number
  /** Rated sessions of all keys on a weekday; a twentieth of that on a day of the weekend. */
  perDay: number
  /** The mean share of bad sessions. */
  share: number
  /** The similarity of sessions of one key on one day: 0 if independent, 1 if all or none are bad. */
  alike: number
  /** The relative standard deviation of a day's share. */
  daySpread?: number
  /** The relative standard deviation of the shares of keys. */
  keySpread?: number
  /** The correlation of neighboring days, whose relative standard deviation is then 0.6. */
  neighbours?: number
  /** The probability of an outage of a day, on which 90 % of the sessions are bad. */
  outages?: number
  compared?: boolean
  /** Six months, or only the month and the previous one. */
  months?: 2 | 6
  /** Multiplies the share of bad audio in the second full week, or from a day on. */
  shift?: { times: number; in: 'week' } | { times: number; since: string }
}

type Days = Map<string, Counts>

/** Simulates the report's input. Seeds are consecutive numbers, so nobody can choose favorable accounts. */
export function simulatedAccount(seed: number, world: World): TestedDays {
  const random = randomOf(seed)
  const keys = Array.from({ length: world.keys }, () => ({
    size: random.gamma(1),
    worse: around(random, world.keySpread),
  }))
  const all = keys.reduce((sum, { size }) => sum + size, 0)
  const luck = luckOf(randomOf(seed + OTHER_DRAWS), world)
  const groups = groupsOf(randomOf(seed + 2 * OTHER_DRAWS))
  const monthOf = (month: string): Days =>
    new Map(daysOf(month).map((day) => [day, dayOf(day, keys)]))
  const dayOf = (day: string, met: typeof keys): Counts => {
    const counts: Record<string, number> = {}
    const [factor, fails] = luck()
    const placed = met.map(() => groups.draw(day))
    const busy = addDays(mondayOf(day), 5) > day ? 1 : 0.05
    for (const { kind } of KINDS) {
      const own = world.share * around(random, world.daySpread) * shiftOf(day, kind, world)
      const share = own * factor
      let [of, bad] = [0, 0]
      for (const [at, { size, worse }] of met.entries()) {
        const sessions = random.poisson((world.perDay * busy * size) / all)
        const mean = fails ? 0.9 : Math.min(0.9, share * worse)
        const keyed = sessions === 0 ? 0 : random.beta(mean, fails ? 0 : world.alike)
        const hits = random.binomial(sessions, keyed)
        placed[at]?.(kind, { of: sessions, hits })
        of += sessions
        bad += hits
      }
      Object.assign(counts, { [`${kind}_bad`]: bad, [`${kind}_good`]: of - bad })
    }
    return counts
  }
  const daysBefore = monthOf('2026-09')
  const days = monthOf(MONTH)
  const older = (world.months ?? 6) > 2 ? MONTHS_BEFORE.map(monthOf) : []
  const earlier = new Map([...older.flatMap((month) => [...month]), ...daysBefore])
  return world.compared === false
    ? { days, daysBefore: new Map(), earlier: new Map(), groupings: groups.of('month') }
    : { days, daysBefore, earlier, groupings: groups.of('all months') }
}

/** Returns for each next day the factor of its share, and whether it has an outage. */
function luckOf(random: Random, { neighbours, outages = 0 }: World): () => [number, boolean] {
  let state = 0
  return () => {
    const fails = outages > 0 && random.next() < outages
    if (neighbours === undefined) return [1, fails]
    state = neighbours * state + Math.sqrt(1 - neighbours ** 2) * random.normal()
    return [Math.exp(DAYS_SPREAD * state - DAYS_SPREAD ** 2 / 2), fails]
  }
}

type Recorder = (kind: string, share: Share) => void

/** Draws a random size and hour for all sessions of a key on a day. */
function groupsOf(random: Random) {
  const cells = new Map<string, Map<string, Record<string, number>>>()
  const at = (name: string, week: string): Record<string, number> => {
    const weeks = cells.get(name) ?? new Map<string, Record<string, number>>()
    cells.set(name, weeks)
    const counts = weeks.get(week) ?? {}
    weeks.set(week, counts)
    return counts
  }
  const grouping = (by: string, over: 'month' | 'all months'): Grouping => ({
    by,
    sheet: by,
    levels: [...cells]
      .filter(([name]) => name.startsWith(by))
      .map(([level, weeks]) => ({
        level,
        where: level,
        todo: '',
        weeks: new Map(
          [...weeks].filter(([week]) => over === 'all months' || week.startsWith(MONTH)),
        ),
      })),
  })
  return {
    draw(day: string): Recorder {
      const week = weekOf(day)
      const block = `Hour ${weekdayOf(day)} ${8 + 2 * Math.floor(5 * random.next())}`
      const chosen = [`Size ${Math.floor(6 * random.next())}`, `Phone ${random.next() < 0.2}`]
      const own = [block, ...chosen].map((name) => at(name, week))
      return (kind, { of, hits }) => {
        if (of === 0) return
        for (const counts of own) {
          counts[`${kind}_bad`] = (counts[`${kind}_bad`] ?? 0) + hits
          counts[`${kind}_good`] = (counts[`${kind}_good`] ?? 0) + of - hits
        }
      }
    },
    of: (over: 'month' | 'all months'): Grouping[] =>
      ['Hour', 'Size', 'Phone'].map((by) => grouping(by, over)),
  }
}

const MONTH = '2026-10'
/** The relative standard deviation of days if neighboring days are correlated. */
const DAYS_SPREAD = 0.6
/** The distance of the seeds for an account, its days and its groups, so that their draws differ. */
const OTHER_DRAWS = 1_000_003
const MONTHS_BEFORE = ['2026-05', '2026-06', '2026-07', '2026-08']
export const SHIFTED_WEEK = '2026-10-12'

function shiftOf(day: string, kind: string, { shift }: World): number {
  if (shift === undefined || kind !== 'audio') return 1
  const shifted = 'since' in shift ? day >= shift.since : mondayOf(day) === SHIFTED_WEEK
  return shifted ? shift.times : 1
}

/** Draws a factor with the mean 1. */
function around(random: Random, spread = 0): number {
  return spread === 0 ? 1 : random.gamma(1 / spread ** 2) * spread ** 2
}

type Random = ReturnType<typeof randomOf>
