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
import { excessOf, minus, type WeekSides } from '../shared/without-any-week.ts'
import type { Counts, Grouping, QualityFacts } from './facts.ts'
import { type WorstLevel, worstLevel } from './groups.ts'
import { badOf } from './kind-shares.ts'
import { outageDays } from './outages.ts'
import { KINDS, type QualityKind } from './source.ts'
import { type Week, weeksOf } from './weeks.ts'

/** What a test compares: a day, a week, the month, the days since a shift, or sessions with a property. */
export type Question =
  | { of: 'day'; day: string }
  | { of: 'week'; week: string }
  | ({ of: 'group' } & Omit<Grouping, 'levels'> &
      Omit<WorstLevel, keyof WeekSides | 'p' | 'inMonth'>)
  | { of: 'month' }
  | { of: 'shift'; shift: LevelShift; firstDay: string }

/** A test of whether one part of the sessions has a different share of bad ones than the rest. */
export interface QualityTest {
  kind: QualityKind
  question: Question
  part: Share
  rest: Share
  /** The difference of the shares. */
  difference: number
  /** The 95 % interval of the difference, wider because sessions of a day are alike. */
  interval: Interval
  /** The month's bad sessions above the number expected from the share of the rest; may be negative. */
  excess: number
  p: number
  /** The lowest false discovery rate, over all tests of the report, at which the test is a finding. */
  rate: number
  found: boolean
}

export type TestedDays = Pick<QualityFacts, 'days' | 'daysBefore' | 'earlier'> & {
  groupings: readonly Grouping[]
}

/**
 * Makes all tests of a report, as one family. For each kind: each outage day against the other days, each
 * week against the rest of the month, the month against the previous one, a shift of the level, and the worst
 * hour, size and so on against all others. If nothing differs, at most one report in twenty has a finding.
 */
export function qualityTests(facts: TestedDays): QualityTest[] {
  const tests = KINDS.flatMap((kind) => testsOf(facts, kind))
  const rates = falseDiscoveryRates(tests.map(({ p }) => p))
  return tests.map((test, at) => {
    const rate = rates[at] ?? 1
    return { ...test, rate, found: rate <= FALSE_DISCOVERIES }
  })
}

/** Returns the findings, the most certain first. */
export function findingsOf(tests: readonly QualityTest[]): QualityTest[] {
  return tests.filter(({ found }) => found).toSorted((a, b) => a.p - b.p)
}

export function verdictOf({
  found,
  difference,
}: QualityTest): 'worse' | 'better' | 'may be chance' {
  if (!found) return 'may be chance'
  return difference > 0 ? 'worse' : 'better'
}

type Untold = Omit<QualityTest, 'rate' | 'found'>

function testsOf(facts: TestedDays, kind: QualityKind): Untold[] {
  const read = new Map([...facts.daysBefore, ...facts.earlier, ...facts.days])
  const outages = outageDays(read, kind)
  const without = (days: ReadonlyMap<string, Counts>): Map<string, Counts> =>
    new Map([...days].filter(([day]) => !outages.has(day)))
  const [all, days, earlier] = [without(read), without(facts.days), without(facts.earlier)]
  const weeks = weeksOf(days, kind.kind)
  const month = sumOf(weeks.map(({ whole }) => whole))
  const before = sumOf(weeksOf(without(facts.daysBefore), kind.kind).map(({ whole }) => whole))
  const allWeeks = weeksOf(all, kind.kind)
  const dispersion = widerDispersion(allWeeks)
  const test = (question: Question, sides: WeekSides, own = dispersion): Untold[] => {
    const { part, rest } = sides
    const [p, excess] = [pOfDifference(part, rest, own), excessOf(part, rest)]
    return untold({ kind, question, ...sides, p, excess }, own)
  }
  const [label = ''] = [...facts.days.keys()].map((day) => day.slice(0, 7))
  return [
    ...[...outages].flatMap(([day, sides]) =>
      facts.days.has(day) ? test({ of: 'day', day }, sides) : [],
    ),
    ...weeks.flatMap(({ from, whole: part }) =>
      test(
        { of: 'week', week: from },
        { part, rest: minus(month, part) },
        widerDispersion(allWeeks, from),
      ),
    ),
    ...test({ of: 'month' }, { part: month, rest: before }),
    ...shiftTest(new Map([...earlier, ...days]), { kind, month: label, dispersion }),
    ...facts.groupings.flatMap((grouping) =>
      groupTest(grouping, { kind, month: label, dispersion }),
    ),
  ]
}

/** Adds the interval. Returns nothing if a side has no rated session, or if neither side has a bad one. */
function untold(
  tested: WeekSides & Pick<QualityTest, 'kind' | 'question' | 'p' | 'excess'>,
  { factor }: Dispersion,
): Untold[] {
  const { part, rest } = tested
  const interval = differenceInterval(scaled(part, factor), scaled(rest, factor))
  if (interval === undefined || part.hits + rest.hits === 0) return []
  return [{ ...tested, interval, difference: part.hits / part.of - rest.hits / rest.of }]
}

/**
 * Returns the dispersion of days within weeks or, if clearly larger, that of weeks within months without the
 * tested week. If neighboring days are alike, weeks differ more than days.
 */
function widerDispersion(weeks: readonly Week[], tested?: string): Dispersion {
  const others = weeks.filter(({ from }) => from !== tested)
  const months = Map.groupBy(others, ({ from }) => from.slice(0, 7))
  const ofDays = dispersionOf(weeks.map(({ days }) => days))
  const ofWeeks = dispersionOf([...months.values()].map((own) => own.map(({ whole }) => whole)))
  const chance = 1 + Z95_ONE_SIDED * Math.sqrt(2 / ofWeeks.degrees)
  return ofWeeks.factor > ofDays.factor * chance ? ofWeeks : ofDays
}

function groupTest(grouping: Grouping, tested: Parameters<typeof worstLevel>[1]): Untold[] {
  const worst = worstLevel(grouping, tested)
  if (worst === undefined) return []
  const { part, rest, p, inMonth, ...level } = worst
  const { kind, dispersion } = tested
  const { by, sheet } = grouping
  const question = { of: 'group', by, sheet, ...level } as const
  return untold({ kind, question, part, rest, p, excess: excessOf(inMonth, rest) }, dispersion)
}

function shiftTest(
  days: ReadonlyMap<string, Counts>,
  { kind, month, dispersion }: Parameters<typeof worstLevel>[1],
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
  const inMonth = dated.filter(({ day }) => day.startsWith(month) && day >= shift.from)
  const excess = excessOf(sumOf(inMonth), rest)
  const question = { of: 'shift', shift, firstDay } as const
  return [{ kind, question, part, rest, difference, interval, excess, p }]
}

/** The one-sided 95 % quantile: a variance ratio this many standard errors above 1 is hardly chance. */
const Z95_ONE_SIDED = 1.645
