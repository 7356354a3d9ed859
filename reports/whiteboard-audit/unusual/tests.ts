import { type Counted, type CountRate, countRateOf, pOfCount } from '../../shared/counts.ts'
import { FALSE_DISCOVERIES, falseDiscoveryRates } from '../../shared/statistics.ts'

/** What is held against what is usual: three counts of a person’s day, and one of the account’s. */
export type UnusualKind = 'deletions' | 'nights' | 'boards' | 'outsiders'

/** A day of the period that may be unusual. */
export interface Candidate {
  /** Whose day it is; undefined where it is the account’s. */
  person: string | undefined
  day: string
  count: number
  /** What the person did on their days before. */
  own: { days: number; sum: number }
}

/** What was counted of one kind. */
export interface KindFacts {
  kind: UnusualKind
  /** Of the days before, each with all people of that day. */
  base: readonly Counted[]
  /** How many days of people, or of the account, the period has: each is a test. */
  tests: number
  /** Those of them that have `FEWEST` at least, and more than any day before of the same person. */
  candidates: readonly Candidate[]
}

export interface UnusualTest extends Candidate {
  kind: UnusualKind
  account: CountRate
  p: number
  /** The rate of false discoveries at which it is a finding, all tests of the report taken together. */
  rate: number
  found: boolean
}

/**
 * All tests of one report, which are one family: each day of each person for each kind, and each day of the
 * account. A day is held against the higher of two rates, the person’s own and the account’s, as high as
 * it may well be: it is unusual for both. Every kind has the same part of the family, however many tests
 * it has (Genovese, Roeder and Wasserman’s weights). Answers what may be unusual, the surest first; where
 * nothing changed, one report in twenty has a finding at the most.
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

/** Fewer are not worth a look, however rare they are. */
export const FEWEST: Readonly<Record<UnusualKind, number>> = {
  deletions: 10,
  nights: 10,
  boards: 5,
  outsiders: 3,
}

/** How many come at once where hardly anything is known of the account: objects by the ten, people by two. */
const BURSTS: Readonly<Record<UnusualKind, number>> = {
  deletions: 10,
  nights: 10,
  boards: 2,
  outsiders: 2,
}
