import { type Counted, type CountRate, countRateOf, pOfCount } from '../../shared/counts.ts'
import { FALSE_DISCOVERIES, falseDiscoveryRates } from '../../shared/statistics.ts'

/** The counts that are compared with the base: three of a person's day, and one of the account's day. */
export type UnusualKind = 'deletions' | 'nights' | 'boards' | 'outsiders'

/** A day of the period that may be unusual. */
export interface Candidate {
  /** The person; undefined for the account. */
  person: string | undefined
  day: string
  count: number
  /** How many base days the person (or the account) has, and the sum of their counts. */
  own: { days: number; sum: number }
}

export interface KindFacts {
  kind: UnusualKind
  /** The base days, each with all people of that day. */
  base: readonly Counted[]
  /** The number of person-days, or of days of the account, in the period. Each of them is a test. */
  tests: number
  /** Days whose count is at least `FEWEST` and higher than on each base day of the person or the account. */
  candidates: readonly Candidate[]
}

export interface UnusualTest extends Candidate {
  kind: UnusualKind
  account: CountRate
  p: number
  /** The lowest false discovery rate, over all tests of the report, at which the test is a finding. */
  rate: number
  found: boolean
}

/**
 * Makes all tests of a report, as one family: each day of each person for each kind, and each day of the
 * account. A day is compared with the higher of two rates, the person's own and the upper limit of the
 * account's, so it must be unusual for both. Every kind has the same share of the family, however many tests
 * it has (weights of Genovese, Roeder and Wasserman). Returns the tests of the candidates, the most certain
 * first. If nothing changed, at most one report in twenty has a finding.
 */
export function unusualTests(facts: readonly KindFacts[]): UnusualTest[] {
  const held = facts.flatMap((one) => heldAgainst(one))
  const all = facts.reduce((sum, { tests }) => sum + tests, 0)
  const ps = held.map(({ p, tests }) => Math.min(1, (p * facts.length * tests) / all))
  const rates = falseDiscoveryRates(ps, all)
  return held
    .map(({ test, p }, at) => {
      const rate = rates[at] ?? 1
      return { ...test, p, rate, found: rate <= FALSE_DISCOVERIES }
    })
    .toSorted((a, b) => a.rate - b.rate || a.p - b.p || (a.day < b.day ? -1 : 1))
}

function heldAgainst({ kind, base, tests, candidates }: KindFacts) {
  const account = countRateOf(base, BURSTS[kind])
  const { mean, factor } = account.most
  return candidates.map((candidate) => {
    const { days, sum } = candidate.own
    const own = (sum + mean) / (days + 1)
    const p = pOfCount(candidate.count, { mean: Math.max(mean, own), factor })
    return { test: { ...candidate, kind, account }, tests, p }
  })
}

/** The smallest counts that can be findings. A smaller count is never one, however rare it is. */
export const FEWEST: Readonly<Record<UnusualKind, number>> = {
  deletions: 10,
  nights: 10,
  boards: 5,
  outsiders: 3,
}

/** The size of a burst that is assumed while there is little data about the account. */
const BURSTS: Readonly<Record<UnusualKind, number>> = {
  deletions: 10,
  nights: 10,
  boards: 2,
  outsiders: 2,
}
