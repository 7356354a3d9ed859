import { expect, it } from 'vitest'
import { expectedDays } from '../../reports/session-quality/expected-days.ts'
import { KINDS } from '../../reports/session-quality/source.ts'
import { findingsOf, qualityTests } from '../../reports/session-quality/tests.ts'
import { WHOLE } from '../helpers/whole.ts'
import { SHIFTED_WEEK, simulatedAccount, type World } from './simulated-account.ts'

/** The short test run simulates a quarter of the accounts. */
const ACCOUNTS = WHOLE ? 1_000 : 250
/** 5 % of the accounts plus two standard deviations. */
const MOST_FALSE = WHOLE ? 65 : 19
/** 99 % of the accounts; a bit less in the short run, for its larger deviation. */
const LEAST_FOUND = WHOLE ? 990 : 244

/** The number of simulated accounts whose findings pass `looksFor`; an account's number is its seed. */
function accountsWith(
  worldOf: (account: number) => World,
  looksFor: (findings: ReturnType<typeof findingsOf>) => boolean,
): number {
  let count = 0
  for (let account = 1; account <= ACCOUNTS; account++)
    if (looksFor(findingsOf(qualityTests(simulatedAccount(account, worldOf(account)))))) count++
  return count
}

const any = (findings: readonly unknown[]): boolean => findings.length > 0
const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T

/** Alternates small and large accounts, with rare and frequent bad sessions. */
function mixed(account: number): World {
  return {
    keys: pick([5, 12, 40], account),
    perDay: pick([5, 20, 60, 150], account >> 2),
    share: pick([0.005, 0.015, 0.03, 0.08], account >> 4),
    alike: pick([0.02, 0.05, 0.15], account >> 6),
    keySpread: pick([0, 0.5, 1], account >> 8),
    compared: account % 2 === 0,
    months: pick([6, 2] as const, account >> 9),
  }
}

const few: World = { keys: 5, perDay: 150, share: 0.03, alike: 0.2 }
const NOTHING_CHANGED: [string, (account: number) => World][] = [
  ['sessions of a key and day are similar', mixed],
  ['whole days are good or bad', (account) => ({ ...mixed(account), daySpread: 0.6 })],
  ['a few large keys have very bad days', () => few],
  ['neighboring days are similar', (account) => ({ ...mixed(account), neighbours: 0.5 })],
  ['neighboring days are very similar', (account) => ({ ...mixed(account), neighbours: 0.7 })],
  ['sessions are independent', () => ({ keys: 12, perDay: 60, share: 0.03, alike: 0 })],
]

it.each(NOTHING_CHANGED)(
  'the quality tests rarely find anything if nothing changed: %s',
  (_name, world) => {
    const found = accountsWith(world, any)
    expect(found).toBeLessThanOrEqual(MOST_FALSE)
  },
)

it('the quality tests rarely report an outage of a day as a worse week, month or hour', () => {
  const found = accountsWith(
    (account) => ({ ...mixed(account), outages: 0.02 }),
    (findings) => findings.some(({ question }) => question.of !== 'day'),
  )
  expect(found).toBeLessThanOrEqual(MOST_FALSE)
})

it('tests that treat clustered sessions as independent would find changes in most accounts', () => {
  const plain = (account: number): boolean =>
    qualityTests(simulatedAccount(account, few)).some(
      ({ difference, part, rest }) =>
        Math.abs(difference) > 2.99 * Math.sqrt(varianceOf(part, rest)),
    )
  let found = 0
  for (let account = 1; account <= 100; account++) if (plain(account)) found++
  expect(found).toBeGreaterThan(50)
})

/** About 1,000 rated sessions in the week, whose share of bad ones rises from 3 % to 9 %. */
const shifted: World = {
  keys: 40,
  perDay: 196,
  share: 0.03,
  alike: 0.05,
  keySpread: 0.5,
  shift: { times: 3, in: 'week' },
}

it.each([0.02, 0.05])(
  'the quality tests find a week with three times the share, and no level shift (similarity: %f)',
  (alike) => {
    let shifts = 0
    const found = accountsWith(
      () => ({ ...shifted, alike }),
      (findings) => {
        if (findings.some(({ question }) => question.of === 'shift')) shifts++
        return findings.some(
          ({ kind, question, difference }) =>
            kind.kind === 'audio' &&
            question.of === 'week' &&
            question.week === SHIFTED_WEEK &&
            difference > 0,
        )
      },
    )
    expect(found).toBeGreaterThanOrEqual(LEAST_FOUND)
    expect(shifts).toBeLessThanOrEqual(MOST_FALSE)
  },
)

/** The shift begins on October 1 or in the middle of an earlier week; a month has about 4,500 sessions. */
it.each(['2026-10-01', '2026-08-12'])(
  'the quality tests find that the share is three times as high since %s, and date it',
  (since) => {
    let [found, held] = [0, 0]
    for (let account = 1; account <= 200; account++) {
      const days = simulatedAccount(account, { ...shifted, shift: { times: 3, since } })
      const audio = findingsOf(qualityTests(days)).filter(({ kind }) => kind.kind === 'audio')
      for (const { question, difference } of audio) {
        if (question.of !== 'shift' || difference < 0) continue
        found++
        const { earliest, latest } = question.shift
        if (earliest <= since && since <= latest) held++
      }
    }
    expect(found).toBeGreaterThanOrEqual(0.99 * 200)
    // 95 % of the intervals contain the day, minus two standard deviations.
    expect(held / found).toBeGreaterThanOrEqual(0.95 - 2 * Math.sqrt((0.95 * 0.05) / 200))
  },
)

it('at most five of a thousand days are outside the expected range if nothing changed', () => {
  let [days, outside] = [0, 0]
  for (let account = 1; account <= 300; account++)
    for (const { kind } of KINDS)
      for (const { verdict } of expectedDays(
        simulatedAccount(account, { ...mixed(account), compared: true, months: 6 }),
        kind,
      ).values()) {
        if (verdict === 'not rated' || verdict === 'too few') continue
        days++
        if (verdict !== 'as expected') outside++
      }
  expect(days).toBeGreaterThan(10_000)
  expect(outside / days).toBeLessThanOrEqual(0.005)
})

function varianceOf(
  part: { of: number; hits: number },
  rest: { of: number; hits: number },
): number {
  const share = (part.hits + rest.hits) / (part.of + rest.of)
  return share * (1 - share) * (1 / part.of + 1 / rest.of)
}
