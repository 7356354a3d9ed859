import {
  differenceInterval,
  dispersionOf,
  falseDiscoveryRates,
  type Interval,
  pOfDifference,
  type Share,
  scaled,
  sumOf,
} from '../shared/statistics.ts'
import type { Facts } from './facts.ts'
import { KINDS, type Kind } from './source.ts'
import { weeksOf } from './weeks.ts'

/** One question to the month: whether a part of it has another share of bad sessions than the rest. */
export interface QualityTest {
  kind: Kind
  /** A week by its first day; undefined for the month against the month before. */
  week: string | undefined
  part: Share
  rest: Share
  /** Of the shares; an interval that allows for what ties the sessions of a day together. */
  difference: number
  interval: Interval
  dispersion: number
  p: number
  /** The rate of false discoveries at which it is a finding, all tests of the report taken together. */
  rate: number
  found: boolean
}

/**
 * All tests of one report, which are one family: each week against the rest of its month, and the month
 * against the month before, for each kind. Where nothing changed, one report in twenty has a finding at
 * the most.
 */
export function qualityTests(facts: Pick<Facts, 'days' | 'daysBefore'>): QualityTest[] {
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

type Untold = Omit<QualityTest, 'rate' | 'found'>

function testsOf({ days, daysBefore }: Pick<Facts, 'days' | 'daysBefore'>, kind: Kind): Untold[] {
  const [weeks, weeksBefore] = [weeksOf(days, kind.kind), weeksOf(daysBefore, kind.kind)]
  const dispersion = dispersionOf([...weeks, ...weeksBefore].map((week) => week.days))
  const [month, before] = [weeks, weeksBefore].map((all) => sumOf(all.map(({ whole }) => whole)))
  const test = (week: string | undefined, part: Share, rest: Share): Untold[] => {
    const { factor } = dispersion
    const interval = differenceInterval(scaled(part, factor), scaled(rest, factor))
    // Where one of them is empty there is nothing to compare, and without a bad session nothing to ask.
    if (interval === undefined || part.hits + rest.hits === 0) return []
    const difference = part.hits / part.of - rest.hits / rest.of
    const p = pOfDifference(part, rest, dispersion)
    return [{ kind, week, part, rest, difference, interval, dispersion: factor, p }]
  }
  if (month === undefined || before === undefined) return []
  return [
    ...weeks.flatMap(({ from, whole }) =>
      test(from, whole, { of: month.of - whole.of, hits: month.hits - whole.hits }),
    ),
    ...test(undefined, month, before),
  ]
}

/** The part of the findings that may be chance. */
const FALSE_DISCOVERIES = 0.05
