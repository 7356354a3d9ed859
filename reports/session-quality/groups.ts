import { WEEKDAYS } from '../shared/calendar.ts'
import { type Dispersion, pOfDifference, type Share, sumOf } from '../shared/statistics.ts'
import { type Counts, type Grouping, type GroupLevel, summedBy } from './facts.ts'
import { badOf } from './kind-shares.ts'
import type { QualityKind } from './source.ts'

/** The level that is most certainly worse than all others. */
export interface WorstLevel extends Pick<GroupLevel, 'level' | 'where'> {
  part: Share
  rest: Share
  p: number
}

/**
 * Finds the level whose share of bad sessions is most certainly higher than that of all others, corrected for
 * the number of levels tried (Bonferroni). The difference must remain without any one week; otherwise an
 * outage would count as a property of the affected sessions.
 */
export function worstLevel(
  { levels }: Grouping,
  { kind }: QualityKind,
  dispersion: Dispersion,
): WorstLevel | undefined {
  const parts = levels.map(({ level, where, weeks }) => ({
    level,
    where,
    weeks: new Map([...weeks].map(([week, counts]) => [week, badOf(counts, kind)])),
  }))
  const weeks = [...new Set(parts.flatMap((part) => [...part.weeks.keys()]))]
  const whole = new Map(
    weeks.map((week) => [week, sumOf(parts.map((part) => part.weeks.get(week) ?? NONE))]),
  )
  const tried = parts.flatMap(({ weeks: own, ...named }) => {
    const sides = sidesOf(own, whole)
    const p = withoutAnyWeek({ own, whole, ...sides }, dispersion)
    return p === undefined ? [] : [{ ...named, ...sides, p }]
  })
  const worse = tried.filter(({ part, rest }) => isWorse(part, rest))
  const [best] = worse.toSorted((a, b) => a.p - b.p)
  return best && { ...best, p: Math.min(1, best.p * tried.length) }
}

type Weeks = ReadonlyMap<string, Share>
type Sides = Pick<WorstLevel, 'part' | 'rest'>

function sidesOf(own: Weeks, whole: Weeks): Sides {
  const [part, all] = [sumOf([...own.values()]), sumOf([...whole.values()])]
  return { part, rest: minus(all, part) }
}

/** Returns the probability without the most influential week; undefined if there are too few weeks. */
function withoutAnyWeek(
  { own, whole, part, rest }: { own: Weeks; whole: Weeks } & Sides,
  dispersion: Dispersion,
): number | undefined {
  if ([...own.values()].filter(({ of }) => of > 0).length < FEWEST_WEEKS) return undefined
  let most = 0
  for (const [week, all] of whole) {
    const here = own.get(week) ?? NONE
    const [one, other] = [minus(part, here), minus(rest, minus(all, here))]
    if (one.of <= 0 || other.of <= 0 || !isWorse(one, other)) return 1
    most = Math.max(most, pOfDifference(one, other, dispersion))
  }
  return most
}

/** Adds up blocks of two hours of a weekday from counts by day and hour, of these months. */
export function hourGrouping(
  months: readonly string[],
  parts: readonly (readonly [place: { weekday: string; week: string; hour: number }, Counts])[],
): Grouping {
  const [first, last] = [months[0], months.at(-1)]
  const span = first === last ? '' : ` (${first} to ${last})`
  const blocks = Map.groupBy(parts, ([{ weekday, hour }]) => `${weekday} ${hour - (hour % 2)}`)
  const levels = [...blocks].map(([name, own]): GroupLevel => {
    const [weekday = '', hour = ''] = name.split(' ')
    const [from, to] = [clock(Number(hour)), clock(Number(hour) + 2)]
    const day = DAY_NAMES[WEEKDAYS.findIndex((short) => short === weekday)] ?? weekday
    return {
      level: `${weekday} ${from}–${to}`,
      where: `on ${day}s from ${from} to ${to}${span}`,
      weeks: summedBy(own.map(([{ week }, counts]) => [week, counts])),
    }
  })
  return { by: 'Hour and weekday', levels }
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}

function minus(all: Share, part: Share): Share {
  return { of: all.of - part.of, hits: all.hits - part.hits }
}

function isWorse(part: Share, rest: Share): boolean {
  return part.hits * rest.of > rest.hits * part.of
}

const NONE: Share = { of: 0, hits: 0 }
/** One week may be left out, and two must agree. */
const FEWEST_WEEKS = 3
const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
