import { expect, it } from 'vitest'
import type { StreamCoverage } from '../../src/report/report-coverage.ts'
import { verdictOf } from '../../src/report/report-verdict.ts'

const WHOLE: StreamCoverage = {
  stream: 'users',
  run: { id: 1, job: 'users', state: 'complete', startedAtMs: 0, whole: true } as never,
  complete: 3,
  incomplete: 0,
  setAside: 0,
  missing: [],
  oldestReadMs: 0,
  whole: true,
  refusal: undefined,
  disputed: undefined,
  optional: false,
}

const say = (changes: Partial<StreamCoverage>) =>
  verdictOf({
    coverage: [{ ...WHOLE, whole: false, ...changes }],
    periods: undefined,
    timeZone: 'UTC',
    asOfMs: 0,
  }).text

it('the verdict of a report counts quarantined records, after any other missing data', () => {
  const aside = '3 unusable records of users were quarantined'
  expect(say({ setAside: 3 })).toContain(`partial: ${aside}.`)
  expect(say({ setAside: 3, incomplete: 2 })).toContain(`users has 2 incomplete slices; ${aside}.`)
  expect(say({ setAside: 3, refusal: 'a word' })).toContain(
    `the account may not read users: a word; ${aside}.`,
  )
  expect(say({ setAside: 3, missing: [{ fromMs: 0, toMs: 86_400_000 }] })).toContain(`; ${aside}.`)
  expect(say({ incomplete: 2 })).not.toContain('quarantined')
})

it('the verdict of a report names days with too few records, and calls the data not complete', () => {
  const low = {
    stream: 'users',
    fromDay: 20_000,
    toDay: 20_009,
    days: 8,
    expected: 81.5,
    came: 2,
    open: true,
    general: false,
  }
  const silent = 'only 2 records of users began since 2024-10-04, where about 82 were expected'
  expect(say({ low: [low] })).toContain(
    `NOT complete. The figures are too low or partial: ${silent}.`,
  )
  expect(say({ low: [low], incomplete: 1 })).toContain(`users has 1 incomplete slice; ${silent}.`)
  const over = { ...low, came: 1, open: false, stream: 'groups' }
  expect(say({ low: [low, over] })).toContain(
    `${silent}; only 1 record of groups began from 2024-10-04 to 2024-10-13, where about 82 were expected.`,
  )
})

it('the verdict of a report names dropped and hashed columns, and dropped ones make it a warning', () => {
  const verdict = (policy?: StreamCoverage['policy']) =>
    verdictOf({
      coverage: [{ ...WHOLE, policy }],
      periods: undefined,
      timeZone: 'UTC',
      asOfMs: 0,
    })
  expect(verdict()).toMatchObject({
    tone: 'good',
    text: expect.not.stringContaining('policy') as string,
  })
  expect(verdict({ dropped: ['users.dept'], hashed: ['users.email'] })).toMatchObject({
    tone: 'warning',
    text: expect.stringContaining(
      'The column policy drops users.dept: what shows or counts them is empty, not zero. ' +
        'The column policy hashes users.email: digests are in their place.',
    ) as string,
  })
  expect(verdict({ dropped: [], hashed: ['users.email'] })).toMatchObject({ tone: 'good' })
})
