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

describe('a stream with fewer records than usual', () => {
  const quiet = counts(84)
  const others = series('recordings', counts(84, [9, 8, 7, 9, 8, 0, 0]))
  const found = (of: readonly number[], beside: readonly DailyCounts[] = [others]) =>
    lowStretches([series('sessions', of), ...beside]).filter(({ stream }) => stream === 'sessions')

  it.each([
    ['as many as usual', quiet, undefined],
    ['none on one day', silent(quiet, 80, 81), undefined],
    ['none on its last two days', silent(counts(81), 79), { days: 2, open: true }],
    ['none for ten days', silent(quiet, 74), { days: 6, open: true }],
    ['none for a week, a month ago', silent(quiet, 49, 56), { days: 5, open: false }],
    ['none from a Friday to a Monday', silent(counts(78), 74), { days: 2, open: true }],
    ['none at a weekend', silent(quiet, 82), undefined],
    [
      'a tenth for a week',
      quiet.map((count, at) => (at >= 77 ? count / 10 : count)),
      { days: 5, open: true },
    ],
    ['half for a week', quiet.map((count, at) => (at >= 77 ? count / 2 : count)), undefined],
  ])('is judged by its records: %s', (_name, of, stretch) => {
    expect(found(of)).toEqual(stretch === undefined ? [] : [expect.objectContaining(stretch)])
  })

  it.each([
    [81, 0],
    [82, 0],
    [84, 0],
    [85, 1],
  ])('is reported after six days if the account has no other stream: day %i', (days, count) => {
    expect(found(silent(counts(days), 77), [])).toHaveLength(count)
  })

  it('is not reported on a holiday of two days on which all streams pause', () => {
    const resting = { ...others, counts: silent(others.counts, 77, 79) }
    expect(found(silent(quiet, 77, 79), [resting])).toEqual([])
    expect(found(silent(quiet, 77, 79), [others])).toHaveLength(1)
  })

  it('is compared with other streams even if these were last read a few days earlier', () => {
    const behind = { ...others, counts: others.counts.slice(0, 80) }
    expect(found(silent(quiet, 77, 82), [behind])).toHaveLength(1)
  })

  it('is not judged after too few weeks or by too few records', () => {
    expect(found(silent(counts(26), 20))).toEqual([])
    expect(found(silent(counts(84, [2, 2, 2, 2, 2, 0, 0]), 77))).toEqual([])
    expect(found(counts(84).fill(0))).toEqual([])
    expect(lowStretches([])).toEqual([])
  })
})

describe('a stream with fewer than three records a day', () => {
  const others = series('recordings', counts(175, [9, 8, 7, 9, 8, 0, 0]))
  const twice = counts(175, [0, 2, 1, 2, 0, 0, 0])
  const found = (of: readonly number[], beside: readonly DailyCounts[] = [others]) =>
    lowStretches([series('sessions', of), ...beside]).filter(({ stream }) => stream === 'sessions')

  it.each([
    ['as many as usual', twice, undefined],
    ['none for two weeks', silent(twice, 161), undefined],
    ['none for three weeks', silent(twice, 153), { days: 24, came: 0, open: true, general: false }],
    ['none for three weeks, long ago', silent(twice, 90, 112), { days: 25, open: false }],
    ['none for a month after two weeks', silent(twice, 14, 44), undefined],
    [
      'none for a month, and later for three weeks',
      silent(silent(twice, 60, 90), 153),
      { fromDay: 64 },
    ],
  ])('is judged by its records: %s', (_name, of, stretch) => {
    expect(found(of)).toEqual(stretch === undefined ? [] : [expect.objectContaining(stretch)])
  })

  it('is reported after 30 missing records if no other stream shows that work continued', () => {
    expect(found(silent(twice, 153), [])).toEqual([])
    expect(found(silent(twice, 125), [])).toMatchObject([{ general: true, open: true }])
    expect(
      found(silent(twice, 125), [{ ...others, counts: silent(others.counts, 125) }]),
    ).toMatchObject([{ general: true }])
  })

  it('is not silent before its first record', () => {
    expect(found([...counts(63).fill(0), ...silent(twice, 50, 75).slice(0, 112)])).toMatchObject([
      { days: 32 },
    ])
  })
})

describe('files that belong to a stream', () => {
  const recordings = series('recordings', counts(84, [9, 8, 7, 9, 8, 0, 0]))
  const files = { ...series('files', counts(84, [18, 16, 14, 18, 16, 0, 0])), of: 'recordings' }
  const found = (all: readonly DailyCounts[]) =>
    lowStretches(all).map(({ stream, of, general }) => [stream, of, general])

  it('are reported as missing if the stream continues, but not if it pauses too', () => {
    const silentFiles = { ...files, counts: silent(files.counts, 77, 79) }
    expect(found([recordings, silentFiles])).toEqual([['files', 'recordings', false]])
    const resting = { ...recordings, counts: silent(recordings.counts, 77) }
    const all = { ...files, counts: silent(files.counts, 77) }
    expect(found([resting, all])).toEqual([])
    const beside = series('sessions', counts(84))
    expect(found([resting, all, beside])).toEqual([['recordings', undefined, false]])
  })

  it('prove nothing about their stream or about others', () => {
    const sessions = series('sessions', silent(counts(79), 77))
    expect(found([sessions, { ...files, of: 'gone' }])).toEqual([])
  })
})

describe('silent kinds of notifications', () => {
  const kind = (stream: string, week: readonly number[]): DailyCounts => ({
    ...series(stream, counts(79, week)),
    notifications: true,
  })
  const stop = (one: DailyCounts): DailyCounts => ({ ...one, counts: silent(one.counts, 77) })
  const visits = kind('visits', [30, 31, 29, 30, 32, 0, 0])
  const bookings = kind('bookings', [9, 9, 9, 9, 9, 0, 0])
  const sensors = kind('sensors', counts(7).fill(500))
  const sessions = series('sessions', counts(79))
  const found = (all: readonly DailyCounts[]) => lowStretches(all).map(({ stream }) => stream)

  it('are reported if other kinds or the streams of records continue', () => {
    expect(found([stop(visits), bookings])).toEqual(['visits'])
    expect(found([stop(visits), sessions])).toEqual(['visits'])
    const all = [stop(visits), stop(sensors), stop(bookings)]
    expect(found([...all, sessions])).toEqual(['visits', 'sensors'])
    expect(lowStretches([...all, sessions])[0]).toMatchObject({ notifications: true, came: 0 })
  })

  it('prove nothing about a holiday if they also arrive on holidays', () => {
    expect(found([stop(visits), stop(bookings), stop(sessions), sensors])).toEqual([])
    expect(found([stop(sensors), visits, sessions])).toEqual(['sensors'])
  })
})
