import { mondayOf, WEEKDAYS } from '../shared/calendar.ts'
import { type Dispersion, type Share, sumOf } from '../shared/statistics.ts'
import { excessOf, minus, type WeekSides, withoutAnyWeek } from '../shared/without-any-week.ts'
import { type Counts, type Grouping, type GroupLevel, summedBy } from './facts.ts'
import { badOf } from './kind-shares.ts'
import type { QualityKind } from './source.ts'

/** The level that is most certainly worse than all others. */
export interface WorstLevel extends Omit<GroupLevel, 'weeks'>, WeekSides {
  p: number
  /** The level's rated and bad sessions in the report's month. */
  inMonth: Share
  /** In how many of the months in which the level has rated sessions it was worse than all others. */
  worseIn: Share
}

interface Tested {
  kind: QualityKind
  /** The report's month. */
  month: string
  dispersion: Dispersion
}

/**
 * Finds the level whose share of bad sessions is most certainly higher than that of all others, corrected for
 * the number of levels tried (Bonferroni). The share must also be higher without any one week, because an
 * outage would otherwise count as a property of the affected sessions. And it must be higher in the report's
 * month, because the problem is otherwise over.
 */
export function worstLevel({ levels }: Grouping, tested: Tested): WorstLevel | undefined {
  const parts = levels.map(({ weeks, ...named }) => ({
    named,
    own: new Map([...weeks].map(([week, counts]) => [week, badOf(counts, tested.kind.kind)])),
  }))
  const whole = new Map<string, Share>()
  for (const [week, share] of parts.flatMap(({ own }) => [...own]))
    whole.set(week, sumOf([whole.get(week) ?? NONE, share]))
  const tried = parts.flatMap(({ named, own }) => {
    const worse = worseLevel(own, whole, tested)
    return worse === undefined ? [] : [{ ...named, ...worse }]
  })
  const [best] = tried.filter(isWorse).toSorted((a, b) => a.p - b.p)
  return best && { ...best, p: Math.min(1, best.p * tried.length) }
}

type Weeks = ReadonlyMap<string, Share>

/** Compares one level with all others; undefined if it has too few weeks. */
function worseLevel(
  own: Weeks,
  whole: Weeks,
  { month, dispersion }: Tested,
): Omit<WorstLevel, 'level' | 'where' | 'todo'> | undefined {
  const weeks = [...sidesBy(mondayOf, own, whole).values()]
  if (weeks.filter(({ part }) => part.of > 0).length < FEWEST_WEEKS) return undefined
  const months = sidesBy((week) => week.slice(0, 7), own, whole)
  const known = [...months.values()].filter(({ part }) => part.of > 0)
  const now = months.get(month) ?? { part: NONE, rest: NONE }
  return {
    part: sumOf(weeks.map(({ part }) => part)),
    rest: sumOf(weeks.map(({ rest }) => rest)),
    p: isWorse(now) ? withoutAnyWeek(weeks, dispersion).p : 1,
    inMonth: now.part,
    worseIn: { of: known.length, hits: known.filter(isWorse).length },
  }
}

function sidesBy(
  spanOf: (week: string) => string,
  own: Weeks,
  whole: Weeks,
): Map<string, WeekSides> {
  const spans = Map.groupBy(whole, ([week]) => spanOf(week))
  return new Map(
    [...spans].map(([span, weeks]) => {
      const part = sumOf(weeks.map(([week]) => own.get(week) ?? NONE))
      return [span, { part, rest: minus(sumOf(weeks.map(([, share]) => share)), part) }]
    }),
  )
}

/** Adds up blocks of two hours of a weekday from counts by day and hour. */
export function hourGrouping(
  parts: readonly (readonly [place: { weekday: string; week: string; hour: number }, Counts])[],
): Grouping {
  const blocks = Map.groupBy(parts, ([{ weekday, hour }]) => `${weekday} ${hour - (hour % 2)}`)
  const levels = [...blocks].map(([name, own]): GroupLevel => {
    const [weekday = '', hour = ''] = name.split(' ')
    const [from, to] = [clock(Number(hour)), clock(Number(hour) + 2)]
    const day = DAY_NAMES[WEEKDAYS.findIndex((short) => short === weekday)] ?? weekday
    return {
      level: `${weekday} ${from}–${to}`,
      where: `on ${day}s from ${from} to ${to}`,
      todo: 'ask what else uses the network then',
      weeks: summedBy(own.map(([{ week }, counts]) => [week, counts])),
    }
  })
  return { by: 'Hour and weekday', sheet: 'By hour and weekday', levels }
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}

function isWorse({ part, rest }: WeekSides): boolean {
  return excessOf(part, rest) > 0
}

const NONE: Share = { of: 0, hits: 0 }
/** The minimum number of weeks: of three, one can be left out and two must still agree. */
const FEWEST_WEEKS = 3
const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
