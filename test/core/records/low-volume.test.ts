import { describe, expect, it } from 'vitest'
import { type DailyCounts, lowStretches } from '../../../src/core/records/low-volume.ts'

/** 1970-01-05, a Monday. */
const FROM_DAY = 4
const WEEK = [30, 32, 28, 31, 25, 0, 0]
const counts = (days: number, week: readonly number[] = WEEK): number[] =>
  Array.from({ length: days }, (_, at) => week[at % 7] ?? 0)
const series = (stream: string, of: readonly number[]): DailyCounts => ({
  stream,
  fromDay: FROM_DAY,
  counts: of,
})
const silent = (of: readonly number[], from: number, to = of.length): number[] =>
  of.map((count, at) => (at >= from && at < to ? 0 : count))

describe('a stream of which fewer records begin than usual', () => {
  const quiet = counts(84)
  const others = series('recordings', counts(84, [9, 8, 7, 9, 8, 0, 0]))
  const found = (of: readonly number[], beside: readonly DailyCounts[] = [others]) =>
    lowStretches([series('sessions', of), ...beside]).filter(({ stream }) => stream === 'sessions')

  it.each([
    ['as always', quiet, undefined],
    ['on one day', silent(quiet, 80, 81), undefined],
    ['for its last two days', silent(counts(81), 79), { days: 2, open: true }],
    ['for ten days', silent(quiet, 74), { days: 6, open: true }],
    ['for a week, a month ago', silent(quiet, 49, 56), { days: 5, open: false }],
    ['from a Friday to a Monday', silent(counts(78), 74), { days: 2, open: true }],
    ['at a weekend', silent(quiet, 82), undefined],
    [
      'to a tenth',
      quiet.map((count, at) => (at >= 77 ? count / 10 : count)),
      { days: 5, open: true },
    ],
    ['to a half', quiet.map((count, at) => (at >= 77 ? count / 2 : count)), undefined],
  ])('%s', (_name, of, stretch) => {
    expect(found(of)).toEqual(stretch === undefined ? [] : [expect.objectContaining(stretch)])
  })

  it.each([
    [81, 0],
    [82, 0],
    [84, 0],
    [85, 1],
  ])(
    'is reported after six days where the account has no other stream: by day %i',
    (days, count) => {
      expect(found(silent(counts(days), 77), [])).toHaveLength(count)
    },
  )

  it('is not reported on a holiday of two days on which all streams rest', () => {
    const resting = { ...others, counts: silent(others.counts, 77, 79) }
    expect(found(silent(quiet, 77, 79), [resting])).toEqual([])
    expect(found(silent(quiet, 77, 79), [others])).toHaveLength(1)
  })

  it('is reported by what other streams have, even if they have not been read to the same day', () => {
    const behind = { ...others, counts: others.counts.slice(0, 80) }
    expect(found(silent(quiet, 77, 82), [behind])).toHaveLength(1)
  })

  it('is not judged where too little is known of it, or by a handful of records', () => {
    expect(found(silent(counts(26), 20))).toEqual([])
    expect(found(silent(counts(84, [2, 2, 2, 2, 2, 0, 0]), 77))).toEqual([])
    expect(found(counts(84).fill(0))).toEqual([])
    expect(lowStretches([])).toEqual([])
  })
})
