import { expect, it } from 'vitest'
import { unusualTests } from '../../../reports/whiteboard-audit/unusual/tests.ts'
import { WHOLE } from '../../helpers/whole.ts'
import { simulatedPeople, type World } from './simulated-people.ts'

/** The short test run simulates a quarter of the accounts. */
const ACCOUNTS = WHOLE ? 1_000 : 250
/** 5 % of the accounts plus two standard deviations. */
const MOST_FALSE = WHOLE ? 65 : 19

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T

const usual: World = {
  people: 40,
  busy: 0.3,
  means: { deletions: 0.6, nights: 0.2, boards: 0.4 },
  outsiders: 0.4,
  personSpread: 0.7,
  daySpread: 0.5,
  ownSpread: 1,
  burst: 4,
}

/** Alternates small and large accounts with low and high activity. */
function mixed(account: number): World {
  return {
    people: pick([8, 25, 60], account),
    busy: pick([0.1, 0.3, 0.6], account >> 2),
    means: {
      deletions: pick([0.05, 0.6, 5], account >> 1),
      nights: pick([0, 0.1, 2], account >> 3),
      boards: pick([0.1, 0.5, 3], account >> 4),
    },
    outsiders: pick([0, 0.1, 1, 6], account >> 5),
    personSpread: pick([0, 0.5, 1.2], account >> 6),
    daySpread: pick([0, 0.4, 0.8], account >> 7),
    ownSpread: pick([0, 0.7, 1.4], account >> 8),
    burst: pick([1, 4, 15], account >> 9),
    baseDays: pick([120, 60], account >> 3),
  }
}

const NOTHING_CHANGED: [string, (account: number) => World][] = [
  ['accounts are of all kinds', mixed],
  ['people differ, and whole days are high or low', () => usual],
  ['a few people do most of it', () => ({ ...usual, personSpread: 2 })],
  ['events come in bursts of thirty', () => ({ ...usual, burst: 30 })],
  ['whole days are very high or low', () => ({ ...usual, daySpread: 1.5 })],
  ['everything is due to chance', (account) => ({ ...usual, ...EVEN, people: 5 + (account % 50) })],
]
const EVEN = { personSpread: 0, daySpread: 0, ownSpread: 0, burst: 1 }

it.each(NOTHING_CHANGED)(
  'unusual activity is rarely found if nothing changed: %s',
  (_name, worldOf) => {
    let found = 0
    for (let account = 1; account <= ACCOUNTS; account++) {
      const tests = unusualTests(simulatedPeople(account, worldOf(account)).facts)
      if (tests.some((test) => test.found)) found++
    }
    expect(found).toBeLessThanOrEqual(MOST_FALSE)
  },
)

it.each([
  { kind: 'deletions', count: 120 },
  { kind: 'nights', count: 120 },
  { kind: 'boards', count: 40 },
  { kind: 'outsiders', count: 60 },
] as const)('the tests for unusual activity find a day with $count planted $kind', (planted) => {
  let found = 0
  for (let account = 1; account <= 300; account++) {
    const made = simulatedPeople(account, { ...usual, planted })
    const { kind, person, day } = made.planted ?? {}
    const tests = unusualTests(made.facts)
    if (
      tests.some(
        (one) => one.found && one.kind === kind && one.person === person && one.day === day,
      )
    )
      found++
  }
  expect(found).toBeGreaterThanOrEqual(0.99 * 300)
})
