/** How many records of a stream began on each UTC day, oldest first. */
export interface DailyCounts {
  stream: string
  /** The first day, as days of the epoch. */
  fromDay: number
  counts: readonly number[]
}

/** Days on which far fewer records of a stream began than on the same weekdays before. */
export interface LowStretch {
  stream: string
  fromDay: number
  /** The last of these days. */
  toDay: number
  /** How many of the days lead one to expect records; a stream may rest at weekends. */
  days: number
  /** Records that the same weekdays lead one to expect, and those that came. */
  expected: number
  came: number
  /** It goes on: no day since was as before. */
  open: boolean
  /** No other stream of the account shows that it is this one alone. */
  general: boolean
}

/**
 * Returns the stretches in which a stream fell silent, or nearly so. A day is low if it has less than a fifth
 * of the second lowest of the eight such weekdays before it that were not low themselves. Two low days are
 * enough if the account's other streams went on. Where they rest too, or there are none, it may be a holiday:
 * then six days are needed, and more than any silence before. Either way at least 30 records must be due.
 */
export function lowStretches(all: readonly DailyCounts[]): LowStretch[] {
  const judged = all.map(judgeDays)
  return judged.flatMap((one) =>
    stretchesIn(one).flatMap((stretch): LowStretch[] => {
      const busy = daysOf(stretch).filter((day) => isLow(one, day) && !rests(judged, one, day))
      if (busy.length >= DAYS_BESIDE_OTHERS && sumOf(one, busy) >= FEWEST_DUE)
        return [{ ...stretch, general: false }]
      const length = stretch.toDay - stretch.fromDay + 1
      const isLong = stretch.days >= DAYS_ALONE && length > longestSilence(one, stretch.fromDay)
      return isLong && stretch.expected >= FEWEST_DUE ? [{ ...stretch, general: true }] : []
    }),
  )
}

/**
 * By how many days records of a stream come late, but for one of ten. What came a week late was read for the
 * first time, and says nothing of that.
 */
export function lateBy(days: readonly { lateDays: number; rows: number }[]): number {
  const inTime = days.filter(({ lateDays }) => lateDays < MOST_LATE_DAYS)
  const total = inTime.reduce((sum, { rows }) => sum + rows, 0)
  for (let late = 0; late < MOST_LATE_DAYS; late++) {
    const later = inTime.filter(({ lateDays }) => lateDays > late)
    if (later.reduce((sum, { rows }) => sum + rows, 0) * 10 <= total) return late
  }
  return MOST_LATE_DAYS
}

interface JudgedDays extends DailyCounts {
  /** What such a weekday usually has; undefined where it may have none, or too little is known. */
  usual: readonly (number | undefined)[]
  low: readonly boolean[]
}

function judgeDays({ stream, fromDay, counts }: DailyCounts): JudgedDays {
  const usual: (number | undefined)[] = []
  const low: boolean[] = []
  for (const [at, count] of counts.entries()) {
    const before: number[] = []
    for (let then = at - 7; then >= 0 && before.length < WEEKS; then -= 7)
      if (low[then] !== true) before.push(counts[then] ?? 0)
    // One of them may have been a holiday.
    const least = before.toSorted((a, b) => a - b)[1] ?? 0
    const median = medianOf(before)
    const known = before.length >= FEWEST_WEEKS && least > 0 && median >= FEWEST_USUAL
    usual.push(known ? median : undefined)
    low.push(known && count * TIMES_LESS < least)
  }
  return { stream, fromDay, counts, usual, low }
}

/** Days that lead one to expect nothing, or have less than half, belong to the stretch around them. */
function stretchesIn(one: JudgedDays): Omit<LowStretch, 'general'>[] {
  const { stream, fromDay, counts, usual, low } = one
  const found: Omit<LowStretch, 'general'>[] = []
  let going: (typeof found)[number] | undefined
  for (const [at, isLowDay] of low.entries()) {
    const expected = usual[at]
    if (!isLowDay) {
      if (expected !== undefined && (counts[at] ?? 0) * 2 >= expected) going = undefined
      continue
    }
    const day = fromDay + at
    if (going === undefined) {
      going = { stream, fromDay: day, toDay: day, days: 0, expected: 0, came: 0, open: false }
      found.push(going)
    }
    going.toDay = day
    going.days++
    going.expected += expected ?? 0
    going.came += counts[at] ?? 0
  }
  const last = found.at(-1)
  if (last !== undefined) last.open = going === last
  return found
}

/** Whether the account's other streams are far below what they usually have, or say nothing of the day. */
function rests(all: readonly JudgedDays[], { stream }: JudgedDays, day: number): boolean {
  let [due, came] = [0, 0]
  for (const { fromDay, counts, usual, stream: other } of all) {
    const expected = usual[day - fromDay]
    if (other === stream || expected === undefined) continue
    due += expected
    came += counts[day - fromDay] ?? 0
  }
  return due < FEWEST_BESIDE || came < due * REST
}

/** The longest time without a record before this day, in days. */
function longestSilence({ fromDay, counts }: DailyCounts, beforeDay: number): number {
  let [longest, silent] = [0, 0]
  for (const count of counts.slice(0, beforeDay - fromDay)) {
    silent = count === 0 ? silent + 1 : 0
    longest = Math.max(longest, silent)
  }
  return longest
}

function daysOf({ fromDay, toDay }: Pick<LowStretch, 'fromDay' | 'toDay'>): number[] {
  return Array.from({ length: toDay - fromDay + 1 }, (_, at) => fromDay + at)
}

function isLow({ fromDay, low }: JudgedDays, day: number): boolean {
  return low[day - fromDay] === true
}

function sumOf({ fromDay, usual }: JudgedDays, days: readonly number[]): number {
  return days.reduce((sum, day) => sum + (usual[day - fromDay] ?? 0), 0)
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

const WEEKS = 8
const FEWEST_WEEKS = 4
/** Of fewer a day that has none says nothing. */
const FEWEST_USUAL = 3
const TIMES_LESS = 5
const DAYS_BESIDE_OTHERS = 2
const DAYS_ALONE = 6
/** Records that have to be due: of so many chance leaves none out, even where days differ much. */
const FEWEST_DUE = 30
const FEWEST_BESIDE = 5
const REST = 0.35
const MOST_LATE_DAYS = 7
