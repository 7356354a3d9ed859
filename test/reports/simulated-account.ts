import type { Counts, Grouping } from '../../reports/session-quality/facts.ts'
import { KINDS } from '../../reports/session-quality/source.ts'
import type { TestedDays } from '../../reports/session-quality/tests.ts'
import { addDays, daysOf, mondayOf, weekdayOf } from '../../reports/shared/calendar.ts'
import type { Share } from '../../reports/shared/statistics.ts'
import { randomOf } from './simulated-random.ts'

/** How an account meets and how bad its sessions are: in six months alike, but for the shift. */
export interface World {
  keys: number
  /** Rated sessions on a weekday, of all keys; a twentieth of that on a day of the weekend. */
  perDay: number
  /** The share of bad sessions in the long run. */
  share: number
  /** How much the sessions of one key on one day are alike: 0 for coins, 1 for all bad or none. */
  alike: number
  /** By how much a whole day's share goes up and down, as a part of it. */
  daySpread?: number
  /** By how much keys differ for good, as a part of the share. */
  keySpread?: number
  /** How much of a day's good or bad luck the next day has; days differ by 0.6 of their share. */
  neighbours?: number
  /** How often a whole day fails, with nine of ten sessions bad. */
  outages?: number
  compared?: boolean
  /** Six, or only the month and the one before. */
  months?: 2 | 6
  /** By what the share of audio is multiplied in the second full week, or from a day on. */
  shift?: { times: number; in: 'week' } | { times: number; since: string }
}

type Days = Map<string, Counts>

/** Days as the report counts them. The seed is the account's number, so that none is chosen by its result. */
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
    ? { days, daysBefore: new Map(), earlier: new Map(), groupings: groups.of(true) }
    : { days, daysBefore, earlier, groupings: groups.of(false) }
}

/** A factor of the day's share, and whether the day fails, day after day. */
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

/** What is met of a key on a day has one size, and one hour of the day, by chance. */
function groupsOf(random: Random) {
  const cells = new Map<string, Map<string, Record<string, number>>>()
  const at = (name: string, week: string): Record<string, number> => {
    const weeks = cells.get(name) ?? new Map<string, Record<string, number>>()
    cells.set(name, weeks)
    const counts = weeks.get(week) ?? {}
    weeks.set(week, counts)
    return counts
  }
  const grouping = (by: string, onlyMonth: boolean): Grouping => ({
    by,
    levels: [...cells]
      .filter(([name]) => name.startsWith(by))
      .map(([level, weeks]) => ({
        level,
        where: level,
        weeks: new Map([...weeks].filter(([week]) => !onlyMonth || week.startsWith(MONTH))),
      })),
  })
  return {
    draw(day: string): Recorder {
      const week = `${day.slice(0, 7)} ${mondayOf(day)}`
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
    of: (onlyMonth: boolean): Grouping[] => [
      grouping('Hour', onlyMonth),
      grouping('Size', true),
      grouping('Phone', true),
    ],
  }
}

const MONTH = '2026-10'
/** How far whole days differ where neighbouring ones are alike. */
const DAYS_SPREAD = 0.6
/** Keeps the draws of an account apart from those of luck and of groups. */
const OTHER_DRAWS = 1_000_003
const MONTHS_BEFORE = ['2026-05', '2026-06', '2026-07', '2026-08']
export const SHIFTED_WEEK = '2026-10-12'

function shiftOf(day: string, kind: string, { shift }: World): number {
  if (shift === undefined || kind !== 'audio') return 1
  const shifted = 'since' in shift ? day >= shift.since : mondayOf(day) === SHIFTED_WEEK
  return shifted ? shift.times : 1
}

/** A factor with the mean 1. */
function around(random: Random, spread = 0): number {
  return spread === 0 ? 1 : random.gamma(1 / spread ** 2) * spread ** 2
}

type Random = ReturnType<typeof randomOf>
