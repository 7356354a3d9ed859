import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cause, nameOfCause } from '../../../src/core/define/cause.ts'
import {
  type AlertRules,
  type Decided,
  decideAlerts,
  type KnownAlert,
} from '../../../src/serve/alerts/decide-alerts.ts'
import { holds } from '../../properties/holds.ts'
import { causeOf, HOUR, MINUTE, NOW } from './causes.ts'

const RULES: AlertRules = { nowMs: NOW, level: 'red', remindMs: 24 * HOUR }

/** A channel that never fails, and remembers its alerts between decisions. */
function channel(rules: Pick<AlertRules, 'level' | 'remindMs'>) {
  const known = new Map<string, KnownAlert>()
  return (causes: readonly Cause[], nowMs: number): Decided => {
    const decided = decideAlerts([...known.values()], causes, { ...rules, nowMs })
    for (const cause of decided.tell) {
      const name = nameOfCause(cause)
      known.set(name, { name, cause, toldLevel: cause.level, toldMs: nowMs, recovered: false })
    }
    for (const cause of decided.remind) {
      const before = known.get(nameOfCause(cause))
      if (before !== undefined) known.set(before.name, { ...before, toldMs: nowMs })
    }
    for (const alert of decided.recovered) known.set(alert.name, { ...alert, recovered: true })
    return decided
  }
}

const counts = ({ tell, remind, recovered }: Decided) => [
  tell.length,
  remind.length,
  recovered.length,
]

describe('a cause of bad health', () => {
  it('is reported once, again each day while it lasts, and once when it is resolved', () => {
    const say = channel(RULES)
    const cause = causeOf('users')
    expect(counts(say([cause], NOW))).toEqual([1, 0, 0])
    expect(counts(say([cause], NOW + 23 * HOUR))).toEqual([0, 0, 0])
    expect(counts(say([cause], NOW + 24 * HOUR))).toEqual([0, 1, 0])
    expect(counts(say([cause], NOW + 47 * HOUR))).toEqual([0, 0, 0])
    expect(counts(say([], NOW + 47 * HOUR))).toEqual([0, 0, 1])
    expect(counts(say([], NOW + 90 * HOUR))).toEqual([0, 0, 0])
    expect(counts(say([cause], NOW + 91 * HOUR))).toEqual([1, 0, 0])
  })

  it('is reported at most once an hour if it begins and ends repeatedly', () => {
    const say = channel(RULES)
    const cause = causeOf('users')
    const told: number[] = []
    for (let minute = 0; minute < 240; minute++) {
      const present = minute % 2 === 0 ? [cause] : []
      if (say(present, NOW + minute * MINUTE).tell.length > 0) told.push(minute)
    }
    expect(told).toEqual([0, 60, 120, 180])
  })

  it('is reported while amber only if configured, and again when it turns red', () => {
    const amber = causeOf('users', { level: 'amber' })
    const red = causeOf('users')
    const onlyRed = channel(RULES)
    expect(counts(onlyRed([amber], NOW))).toEqual([0, 0, 0])
    expect(counts(onlyRed([red], NOW + 1))).toEqual([1, 0, 0])
    // It got better, but is not resolved.
    expect(counts(onlyRed([amber], NOW + 30 * HOUR))).toEqual([0, 0, 0])
    expect(counts(onlyRed([], NOW + 31 * HOUR))).toEqual([0, 0, 1])
    const both = channel({ ...RULES, level: 'amber' })
    expect(counts(both([amber], NOW))).toEqual([1, 0, 0])
    expect(counts(both([red], NOW + 1))).toEqual([1, 0, 0])
    expect(counts(both([amber], NOW + 2))).toEqual([0, 0, 0])
    expect(counts(both([red], NOW + 3))).toEqual([0, 0, 0])
  })
})

describe('a quiet cause', () => {
  it('is not reported, and keeps an open alert open', () => {
    const say = channel(RULES)
    const quiet = causeOf('users', { quiet: 'untried' })
    expect(counts(say([quiet], NOW))).toEqual([0, 0, 0])
    expect(counts(say([], NOW + MINUTE))).toEqual([0, 0, 0])
    expect(counts(say([causeOf('users')], NOW + 2 * MINUTE))).toEqual([1, 0, 0])
    expect(counts(say([quiet], NOW + 40 * HOUR))).toEqual([0, 0, 0])
    expect(counts(say([], NOW + 41 * HOUR))).toEqual([0, 0, 1])
  })
})

const SUBJECTS = ['users', 'recordings', 'calls']
const step = fc.record({
  afterMs: fc.oneof(
    fc.integer({ min: 1, max: 90 * MINUTE }),
    fc.integer({ min: HOUR, max: 40 * HOUR }),
  ),
  causes: fc.array(
    fc.record({
      subject: fc.constantFrom(...SUBJECTS),
      level: fc.constantFrom('red' as const, 'amber' as const),
    }),
    { maxLength: 4 },
  ),
})
const history = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 40 }),
  level: fc.constantFrom('red' as const, 'amber' as const),
  remindMs: fc.integer({ min: 1, max: 48 }).map((hours) => hours * HOUR),
})

/** A message about a cause. */
interface Said {
  event: 'told' | 'reminded' | 'recovered'
  atMs: number
  level: Cause['level']
}

function play({ steps, ...rules }: typeof history extends fc.Arbitrary<infer T> ? T : never) {
  const say = channel(rules)
  const said = new Map<string, Said[]>(SUBJECTS.map((subject) => [subject, []]))
  let nowMs = NOW
  for (const { afterMs, causes } of steps) {
    nowMs += afterMs
    const present = new Map(
      causes.map(({ subject, level }) => [subject, causeOf(subject, { level })]),
    )
    const { tell, remind, recovered } = say([...present.values()], nowMs)
    const add = (event: Said['event'], { subject, level }: Cause): void =>
      void said.get(subject)?.push({ event, atMs: nowMs, level })
    for (const cause of tell) add('told', cause)
    for (const cause of remind) add('reminded', cause)
    for (const { cause } of recovered) add('recovered', cause)
  }
  const last = say([], nowMs + 1)
  for (const { cause } of last.recovered)
    said.get(cause.subject)?.push({ event: 'recovered', atMs: nowMs + 1, level: cause.level })
  return said
}

describe('however causes begin and end', () => {
  it('no cause is reported twice within its interval, and each is resolved exactly once', async () => {
    let spoken = 0
    await holds(
      fc.property(history, (drawn) => {
        for (const events of play(drawn).values()) {
          spoken += events.length
          let open: Said | undefined
          let lastTold = Number.NEGATIVE_INFINITY
          for (const one of events) {
            if (one.event === 'recovered') {
              expect(open).toBeDefined()
              open = undefined
              continue
            }
            const apart = one.atMs - lastTold
            if (one.event === 'reminded') expect(apart).toBeGreaterThanOrEqual(drawn.remindMs)
            else if (open === undefined) expect(apart).toBeGreaterThanOrEqual(HOUR)
            else expect([open.level, one.level]).toEqual(['amber', 'red'])
            if (drawn.level === 'red') expect(one.level).toBe('red')
            open = one.event === 'told' ? one : (open ?? one)
            lastTold = one.atMs
          }
          expect(open).toBeUndefined()
        }
      }),
    )
    expect(spoken).toBeGreaterThan(1_000)
  })
})
