import { mondayOf } from '../shared/calendar.ts'
import { type LevelShift, levelShiftOf } from '../shared/level-shift.ts'
import {
  type Dispersion,
  differenceInterval,
  dispersionOf,
  FALSE_DISCOVERIES,
  falseDiscoveryRates,
  type Interval,
  pOfDifference,
  type Share,
  scaled,
  sumOf,
} from '../shared/statistics.ts'
import type { QualityFacts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import { KINDS, type QualityKind } from './source.ts'
import { weeksOf } from './weeks.ts'

/** What a test is about: a week of the month, the month, or a day since which it was otherwise. */
export type Question =
  | { of: 'week'; week: string }
  | { of: 'month' }
  | { of: 'shift'; shift: LevelShift; firstDay: string }

/** One question to the days: whether a part of them has another share of bad sessions than the rest. */
export interface QualityTest {
  kind: QualityKind
  question: Question
  part: Share
  rest: Share
  /** Of the shares; an interval that allows for what ties the sessions of a day together. */
  difference: number
  interval: Interval
  p: number
  /** The rate of false discoveries at which it is a finding, all tests of the report taken together. */
  rate: number
  found: boolean
}

export type TestedDays = Pick<QualityFacts, 'days' | 'daysBefore' | 'earlier'>

/**
 * All tests of one report, which are one family: each week against the rest of its month, the month
 * against the month before, and whether the level of all months that were read has shifted, for each kind.
 * Where nothing changed, one report in twenty has a finding at the most.
 */
export function qualityTests(facts: TestedDays): QualityTest[] {
  const tests = KINDS.flatMap((kind) => testsOf(facts, kind))
  const rates = falseDiscoveryRates(tests.map(({ p }) => p))
  return tests.map((test, at) => {
    const rate = rates[at] ?? 1
    return { ...test, rate, found: rate <= FALSE_DISCOVERIES }
  })
}

/** The findings, the surest first. */
export function findingsOf(tests: readonly QualityTest[]): QualityTest[] {
  return tests.filter(({ found }) => found).toSorted((a, b) => a.p - b.p)
}

/** What a test says in a word. */
export function verdictOf({
  found,
  difference,
}: QualityTest): 'worse' | 'better' | 'may be chance' {
  if (!found) return 'may be chance'
  return difference > 0 ? 'worse' : 'better'
}

type Untold = Omit<QualityTest, 'rate' | 'found'>

function testsOf({ days, daysBefore, earlier }: TestedDays, kind: QualityKind): Untold[] {
  const weeks = weeksOf(days, kind.kind)
  const [month, before] = [weeks, weeksOf(daysBefore, kind.kind)].map((all) =>
    sumOf(all.map(({ whole }) => whole)),
  )
  const all = new Map([...daysBefore, ...earlier, ...days])
  const dispersion = dispersionOf(weeksOf(all, kind.kind).map((week) => week.days))
  const test = (question: Question, part: Share, rest: Share): Untold[] => {
    const { factor } = dispersion
    const interval = differenceInterval(scaled(part, factor), scaled(rest, factor))
    // Where one of them is empty there is nothing to compare, and without a bad session nothing to ask.
    if (interval === undefined || part.hits + rest.hits === 0) return []
    const difference = part.hits / part.of - rest.hits / rest.of
    const p = pOfDifference(part, rest, dispersion)
    return [{ kind, question, part, rest, difference, interval, p }]
  }
  if (month === undefined || before === undefined) return []
  return [
    ...weeks.flatMap(({ from, whole }) =>
      test({ of: 'week', week: from }, whole, {
        of: month.of - whole.of,
        hits: month.hits - whole.hits,
      }),
    ),
    ...test({ of: 'month' }, month, before),
    ...shiftTest(new Map([...earlier, ...days]), kind, dispersion),
  ]
}

function shiftTest(
  days: ReadonlyMap<string, Parameters<typeof badOf>[0]>,
  kind: QualityKind,
  dispersion: Dispersion,
): Untold[] {
  const dated = [...days]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, counts]) => ({ day, week: mondayOf(day), ...badOf(counts, kind.kind) }))
    .filter(({ of }) => of > 0)
  const shift = levelShiftOf(dated, dispersion)
  const firstDay = dated[0]?.day
  if (shift === undefined || firstDay === undefined) return []
  const { before: rest, since: part, interval, p } = shift
  const difference = part.hits / part.of - rest.hits / rest.of
  return [{ kind, question: { of: 'shift', shift, firstDay }, part, rest, difference, interval, p }]
}
