import type { LowStretch } from '../values/low-stretch.ts'

/** How many records of a stream, or notifications of a kind, began on each UTC day, oldest first. */
export interface DailyCounts {
  /** The stream, or the event that the notifications report. */
  stream: string
  /** The stream on whose days these records count: files count on the days of their recordings. */
  of?: string
  notifications?: true
  /** The first day, in days since 1970-01-01. */
  fromDay: number
  counts: readonly number[]
}

/**
 * Finds the days on which a stream fell silent, or nearly so. A day is low if it has less than a fifth of the
 * second-lowest count among the last eight days of its weekday that were not low. Two low days are enough if
 * the account's other streams had their usual volume. If the others were low too, or there are none, it may
 * be a holiday: then it takes six low days, and more than in any previous gap. Either way at least 30 records
 * must be expected. A gap of at least six days without records also counts, if it is the longest so far and
 * low days cover less than half of its expected records. It needs 15 expected records on days on which others
 * had their volume, or two weeks and 30 expected records.
 */
export function lowStretches(all: readonly DailyCounts[]): LowStretch[] {
  const judged = all.map(judgeDays)
  return judged.flatMap((one) => {
    const goesOn = (day: number): boolean => !rests(judged, one, day)
    const low = stretchesIn(one).flatMap((stretch): LowStretch[] => {
      const busy = daysOf(stretch).filter((day) => isLow(one, day) && goesOn(day))
      if (busy.length >= DAYS_BESIDE_OTHERS && sumOf(one, busy) >= FEWEST_DUE)
        return [{ ...stretch, general: false }]
      const isLong = stretch.days >= DAYS_ALONE && isLongest(one, stretch)
      return inGeneral({ ...stretch, general: isLong })
    })
    const silent = silencesIn(one).flatMap((stretch): LowStretch[] => {
      const due = sumByWeekday(one, stretch.fromDay, daysOf(stretch).filter(goesOn))
      if (due >= FEWEST_DUE_BESIDE) return [{ ...stretch, general: false }]
      return inGeneral({ ...stretch, general: stretch.days >= DAYS_SILENT })
    })
    return [...low, ...silent]
  })
}

/** Keeps a stretch that counts even if other streams were low too, except one of files. */
function inGeneral(stretch: LowStretch): LowStretch[] {
  const isSure = stretch.general && stretch.of === undefined && stretch.expected >= FEWEST_DUE
  return isSure ? [stretch] : []
}

interface JudgedDays extends DailyCounts {
  /** The median count of each day's weekday; undefined if it is too small or from too few weeks. */
  usual: readonly (number | undefined)[]
  low: readonly boolean[]
  /** The quietest weekday has at least half the records of the busiest: even a holiday may be as busy. */
  everyDay: boolean
}

function judgeDays(given: DailyCounts): JudgedDays {
  const { counts } = given
  const usual: (number | undefined)[] = []
  const low: boolean[] = []
  for (const [at, count] of counts.entries()) {
    const before: number[] = []
    for (let then = at - 7; then >= 0 && before.length < WEEKS; then -= 7)
      if (low[then] !== true) before.push(counts[then] ?? 0)
    before.sort((a, b) => a - b)
    // The lowest count may be that of a holiday, so the second-lowest is used.
    const least = before[1] ?? 0
    const median = middleOf(before)
    const known = before.length >= FEWEST_WEEKS && least > 0 && median >= FEWEST_USUAL
    usual.push(known ? median : undefined)
    low.push(known && count * TIMES_LESS < least)
  }
  const means = weekdayMeans(counts)
  return { ...given, usual, low, everyDay: Math.min(...means) * 2 >= Math.max(...means) }
}

/** The average count by weekday; days before the first record do not count. */
function weekdayMeans(counts: readonly number[]): number[] {
  const first = firstDay(counts)
  const sums = Array.from({ length: 7 }, () => ({ days: 0, rows: 0 }))
  for (const [at, rows] of counts.entries()) {
    const sum = sums[at % 7]
    if (sum === undefined || at < first) continue
    sum.days++
    sum.rows += rows
  }
  return sums.map(({ days, rows }) => rows / Math.max(1, days))
}

/** The day of the first record; after all days if there is none. */
function firstDay(counts: readonly number[]): number {
  const at = counts.findIndex((count) => count > 0)
  return at < 0 ? counts.length : at
}

type Stretch = Omit<LowStretch, 'general'>

function newStretch({ stream, of, notifications }: DailyCounts, day: number): Stretch {
  const name = { stream, ...(of && { of }), ...(notifications && { notifications }) }
  return { ...name, fromDay: day, toDay: day, days: 0, expected: 0, came: 0, open: false }
}

/** Finds runs of low days. A run ends only at a day with at least half of its expected count. */
function stretchesIn(one: JudgedDays): Stretch[] {
  const { fromDay, counts, usual, low } = one
  const found: Stretch[] = []
  let going: Stretch | undefined
  for (const [at, isLowDay] of low.entries()) {
    const expected = usual[at]
    if (!isLowDay) {
      if (expected !== undefined && (counts[at] ?? 0) * 2 >= expected) going = undefined
      continue
    }
    if (going === undefined) {
      going = newStretch(one, fromDay + at)
      found.push(going)
    }
    going.toDay = fromDay + at
    going.days++
    going.expected += expected ?? 0
    going.came += counts[at] ?? 0
  }
  const last = found.at(-1)
  if (last !== undefined) last.open = going === last
  return found
}

/** Finds gaps of at least six days, each the longest so far, unless low days cover half of the expected. */
function silencesIn(one: JudgedDays): Stretch[] {
  const { fromDay, counts } = one
  const found: Stretch[] = []
  for (let at = firstDay(counts) + FEWEST_WEEKS * 7; at < counts.length; at++) {
    if (counts[at] !== 0 || counts[at - 1] === 0) continue
    const next = counts.findIndex((count, then) => then > at && count > 0)
    const to = next < 0 ? counts.length : next
    const stretch = { ...newStretch(one, fromDay + at), toDay: fromDay + to - 1, days: to - at }
    if (stretch.days < DAYS_ALONE || !isLongest(one, stretch)) continue
    const days = daysOf(stretch)
    const expected = sumByWeekday(one, stretch.fromDay, days)
    const known = days.filter((day) => isLow(one, day))
    if (sumOf(one, known) * 2 < expected) found.push({ ...stretch, expected, open: next < 0 })
  }
  return found
}

/** The expected count of these days, by the weekday averages before them. */
function sumByWeekday(
  { fromDay, counts }: DailyCounts,
  before: number,
  days: readonly number[],
): number {
  const means = weekdayMeans(counts.slice(0, before - fromDay))
  return days.reduce((sum, day) => sum + (means[(day - fromDay) % 7] ?? 0), 0)
}

/**
 * Whether the whole account was quiet on that day, as on a holiday: the median share (count by usual count)
 * of the other streams is below `REST`; all notifications are one stream. Also true if the others have fewer
 * than `FEWEST_BESIDE` expected records. A stream whose weekdays are alike is compared with all others, any
 * other only with streams that also vary by weekday. For files only the stream that lists them counts, and
 * the share must be below a fifth.
 */
function rests(all: readonly JudgedDays[], one: JudgedDays, day: number): boolean {
  const sums = new Map<string, { due: number; came: number }>()
  for (const other of all) {
    const expected = other.usual[day - other.fromDay]
    const isOwner = other.stream === one.of
    const isOther = one.of === undefined && other.of === undefined && other.stream !== one.stream
    if (expected === undefined || !(isOwner || (isOther && (one.everyDay || !other.everyDay))))
      continue
    const name = other.notifications === true ? 'notifications' : other.stream
    const { due, came } = sums.get(name) ?? { due: 0, came: 0 }
    const count = other.counts[day - other.fromDay] ?? 0
    sums.set(name, { due: due + expected, came: came + count })
  }
  const due = [...sums.values()].reduce((sum, other) => sum + other.due, 0)
  const shares = [...sums.values()].map((other) => other.came / other.due)
  const share = one.of === undefined ? REST : 1 / TIMES_LESS
  return due < FEWEST_BESIDE || middleOf(shares.toSorted((a, b) => a - b)) < share
}

/** Whether the gap is longer than any since the first record. */
function isLongest({ fromDay, counts }: DailyCounts, stretch: Stretch): boolean {
  let [longest, silent] = [0, 0]
  for (const count of counts.slice(firstDay(counts), stretch.fromDay - fromDay)) {
    silent = count === 0 ? silent + 1 : 0
    longest = Math.max(longest, silent)
  }
  return stretch.toDay - stretch.fromDay + 1 > longest
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

function middleOf(sorted: readonly number[]): number {
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

const WEEKS = 8
const FEWEST_WEEKS = 4
/** The least median of a weekday's counts; below it, a day without records proves nothing. */
const FEWEST_USUAL = 3
const TIMES_LESS = 5
const DAYS_BESIDE_OTHERS = 2
const DAYS_ALONE = 6
/** The least length of a gap that counts even if other streams were low too: no holidays last as long. */
const DAYS_SILENT = 14
/** The least number of expected records in a gap: so many do not fail to come by chance. */
const FEWEST_DUE = 30
/** The least number of expected records in a gap while other streams had their volume. */
const FEWEST_DUE_BESIDE = 15
const FEWEST_BESIDE = 5
const REST = 0.35
