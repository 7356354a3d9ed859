import { expect, it } from 'vitest'
import type { Counts, Grouping } from '../../reports/session-quality/facts.ts'
import { findingsOf, qualityTests } from '../../reports/session-quality/tests.ts'
import { weekOf } from '../../reports/session-quality/weeks.ts'
import { daysOf } from '../../reports/shared/calendar.ts'

const MONTHS = ['2026-05', '2026-06', '2026-07', '2026-08', '2026-09', '2026-10']

/** Months of 1,000 sessions a day, of which twenty are bad, and ten by telephone, with so many bad. */
function findingsWith(badByPhone: (day: string) => number, months = MONTHS) {
  const days = new Map<string, Counts>()
  const parts = { phone: new Map<string, Counts>(), none: new Map<string, Counts>() }
  const add = (to: Map<string, Counts>, key: string, of: number, bad: number): void => {
    const { audio_bad = 0, audio_good = 0 } = to.get(key) ?? {}
    to.set(key, { audio_bad: (audio_bad ?? 0) + bad, audio_good: (audio_good ?? 0) + of - bad })
  }
  for (const day of months.flatMap(daysOf)) {
    add(days, day, 1_010, 20 + badByPhone(day))
    add(parts.none, weekOf(day), 1_000, 20)
    add(parts.phone, weekOf(day), 10, badByPhone(day))
  }
  const level = (name: 'phone' | 'none') => ({
    level: name,
    where: '',
    todo: '',
    weeks: parts[name],
  })
  const phones: Grouping = { by: 'Phone', sheet: '', levels: [level('phone'), level('none')] }
  const of = (isPart: (day: string) => boolean) => new Map([...days].filter(([day]) => isPart(day)))
  const tests = qualityTests({
    days: of((day) => day >= '2026-10'),
    daysBefore: of((day) => day.startsWith('2026-09')),
    earlier: of((day) => day < '2026-10'),
    groupings: [phones],
  })
  return findingsOf(tests).filter(({ question }) => question.of === 'group')
}

/** Every third day, which is 3.3 % against 2 %: too few in one month, but not in six. */
const thirdDay = (day: string): number => (Number(day.slice(8)) % 3 === 0 ? 1 : 0)

it('a small difference is found if each of six months has it, but not in one month alone', () => {
  expect(findingsWith(thirdDay, ['2026-10'])).toEqual([])
  expect(findingsWith(thirdDay)).toMatchObject([
    { question: { level: 'phone', worseIn: { of: 6, hits: 6 } } },
  ])
})

it('the harm of a difference counts only the bad sessions of the reported month', () => {
  // Ten days of October have a bad session; by the share of the others 6.2 of 310 would be bad.
  expect(findingsWith(thirdDay)[0]?.excess).toBeCloseTo(10 - 6.2, 6)
})

it('a difference that ended before the reported month is not found', () => {
  expect(findingsWith((day) => (day < '2026-10' ? thirdDay(day) * 3 : 0))).toEqual([])
})

it('a difference in only one week is not found, however large it is', () => {
  const inWeek = (day: string): boolean => day >= '2026-10-12' && day < '2026-10-19'
  expect(findingsWith((day) => (inWeek(day) ? 9 : 0))).toEqual([])
})
