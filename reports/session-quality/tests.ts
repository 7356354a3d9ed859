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

/** What a test compares: a week, the month, or the days since a shift. */
export type Question =
  | { of: 'week'; week: string }
  | { of: 'month' }
  | { of: 'shift'; shift: LevelShift; firstDay: string }

/** A test whether one part of the days has another share of bad sessions than the rest. */
export interface QualityTest {
  kind: QualityKind
  question: Question
  part: Share
  rest: Share
  /** The difference of the shares, with an interval that allows for correlation within a day. */
  difference: number
  interval: Interval
  p: number
  /** The false discovery rate at which it is a finding, over all tests of the report. */
  rate: number
  found: boolean
}

export type TestedDays = Pick<QualityFacts, 'days' | 'daysBefore' | 'earlier'>

/**
 * Makes all tests of a report, as one family: for each kind, each week against the rest of its month, the
 * month against the previous one, and whether the level has shifted in the months that were read. If nothing
 * changed, at most one report in twenty has a finding.
 */
export function qualityTests(facts: TestedDays): QualityTest[] {
  const tests = KINDS.flatMap((kind) => testsOf(facts, kind))
  const rates = falseDiscoveryRates(tests.map(({ p }) => p))
  return tests.map((test, at) => {
    const rate = rates[at] ?? 1
    return { ...test, rate, found: rate <= FALSE_DISCOVERIES }
  })
}

/** The findings, the most certain first. */
export function findingsOf(tests: readonly QualityTest[]): QualityTest[] {
  return tests.filter(({ found }) => found).toSorted((a, b) => a.p - b.p)
}

/** A test's verdict in one word. */
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
    // An empty side cannot be compared, and without a bad session there is nothing to test.
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
