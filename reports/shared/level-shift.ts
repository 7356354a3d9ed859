import {
  type Dispersion,
  devianceOf,
  differenceInterval,
  type Interval,
  type Share,
  scaled,
  sumOf,
} from './statistics.ts'
import { minus, withoutAnyWeek } from './without-any-week.ts'

export interface DatedShare extends Share {
  day: string
  /** The Monday of its week. */
  week: string
}

/** A lasting change of a share. */
export interface LevelShift {
  /** The most likely first day of the new level. */
  from: string
  /** The 95 % interval of that day. */
  earliest: string
  latest: string
  before: Share
  since: Share
  interval: Interval
  p: number
}

/**
 * Finds the most likely day of a lasting change of a share, and the probability of such a difference if
 * nothing changed, corrected for trying every Monday (Bonferroni). The difference must remain without any one
 * week, because a single bad week would otherwise count as a shift. Returns undefined with too little data.
 */
export function levelShiftOf(
  days: readonly DatedShare[],
  dispersion: Dispersion,
): LevelShift | undefined {
  const weeks = weeksIn(days)
  const tries = weeks.slice(FEWEST_WEEKS, -FEWEST_WEEKS + 1).map((_, at) => {
    const split = at + FEWEST_WEEKS
    const sides = weeks.map(({ week: _monday, ...share }, place) =>
      place < split ? { part: NONE, rest: share } : { part: share, rest: NONE },
    )
    return { split, ...withoutAnyWeek(sides, dispersion) }
  })
  // Sorts by fit and not by p, because p of a large shift is only a rounding error.
  const [best] = tries.toSorted((a, b) => b.fit - a.fit)
  const monday = best && weeks[best.split]?.week
  if (best === undefined || monday === undefined) return undefined
  const dated = dateOf(days, monday, dispersion)
  const sides = [dated.before, dated.since].map((side) => scaled(side, dispersion.factor))
  const interval = differenceInterval(sides[1] as Share, sides[0] as Share)
  return interval && { ...dated, interval, p: Math.min(1, best.p * tries.length) }
}

interface WholeWeek extends Share {
  week: string
}

/** Returns the weeks with rated sessions, in order. */
function weeksIn(days: readonly DatedShare[]): WholeWeek[] {
  const weeks = new Map<string, Share>()
  for (const { week, ...share } of days) weeks.set(week, sumOf([weeks.get(week) ?? NONE, share]))
  return [...weeks]
    .map(([week, share]) => ({ week, ...share }))
    .filter(({ of }) => of > 0)
    .toSorted((a, b) => (a.week < b.week ? -1 : 1))
}

/**
 * Finds the best day within a week of the Monday, and all days that fit nearly as well, by Hansen's limits of
 * the likelihood ratio for change points.
 */
function dateOf(
  days: readonly DatedShare[],
  monday: string,
  { factor }: Dispersion,
): Omit<LevelShift, 'p' | 'interval'> {
  const whole = sumOf(days)
  let before = NONE
  const fits = days.flatMap((day) => {
    const since = minus(whole, before)
    const here = { day: day.day, before, since, fit: 0 }
    before = sumOf([before, day])
    if (here.before.of <= 0 || since.of <= 0) return []
    return [{ ...here, fit: devianceOf(here.before, since) / factor }]
  })
  const near = fits.filter(({ day }) => Math.abs(Date.parse(day) - Date.parse(monday)) <= WEEK_MS)
  const best = near.reduce((a, b) => (b.fit > a.fit ? b : a))
  const alike = fits.filter(({ fit }) => best.fit - fit <= HANSEN_95)
  const [earliest = best.day, latest = best.day] = [alike[0]?.day, alike.at(-1)?.day]
  return { from: best.day, earliest, latest, before: best.before, since: best.since }
}

const NONE: Share = { of: 0, hits: 0 }
const WEEK_MS = 7 * 86_400_000
/** The minimum number of weeks on each side, because one may be left out. */
const FEWEST_WEEKS = 2
/** Hansen's 95 % limit, −2 ln(1 − √0.95). */
const HANSEN_95 = -2 * Math.log(1 - Math.sqrt(0.95))
