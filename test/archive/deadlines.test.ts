import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type DeadlineRules,
  forecastDeadlines,
  orderForFetching,
  type PendingSession,
} from '../../src/archive/deadlines.ts'

const NOW = Date.parse('2026-07-08T00:00:00Z')
const HOUR = 3_600_000
const at = (hours: number): number => NOW + hours * HOUR
const session = (
  name: string,
  hours: number,
  archives: number,
  outsiders = false,
): PendingSession => ({
  session: name,
  whiteboard: 'wb',
  label: undefined,
  outsiders,
  expiresAtMs: at(hours),
  archives,
  pages: 1,
})
/** Allows this number of calls an hour. */
const hourly = (calls: number, rules: DeadlineRules['rules'] = [{ outsiders: true }]) => ({
  rules,
  nowMs: NOW,
  callsUntil: (untilMs: number) => Math.max(0, Math.floor(((untilMs - NOW) / HOUR) * calls)),
})
const lostOf = (sessions: readonly PendingSession[], options: DeadlineRules) =>
  forecastDeadlines(sessions, options).lost.map(({ session: name, lost }) => `${name} ${lost}`)

describe('the forecast of lost archives', () => {
  it('counts the archives that expire within a day and a week, and the calls that they need', () => {
    const sessions = [session('a', 10, 40), session('b', 30, 60), session('c', 200, 500)]
    const { horizons, suffices, lost, scarceUntilMs } = forecastDeadlines(sessions, hourly(10))
    expect(horizons).toEqual([
      { hours: 24, archives: 40, sessions: 1, calls: 41, allowed: 240, lost: 0 },
      { hours: 168, archives: 100, sessions: 2, calls: 102, allowed: 1_680, lost: 0 },
    ])
    expect({ suffices, lost, scarceUntilMs }).toEqual({
      suffices: true,
      lost: [],
      scarceUntilMs: undefined,
    })
  })

  it('names the archives that will be lost, chosen by priority and not by deadline', () => {
    const sessions = [session('plain', 5, 30), session('outsiders', 10, 60, true)]
    expect(lostOf(sessions, hourly(7))).toEqual(['plain 22'])
    expect(lostOf(sessions, hourly(7, []))).toEqual(['outsiders 22'])
    expect(forecastDeadlines(sessions, hourly(7)).scarceUntilMs).toBe(at(10))
  })

  it('gives up no archive in favor of a session that can wait', () => {
    const sessions = [session('plain', 5, 30), session('outsiders', 100, 300, true)]
    expect(lostOf(sessions, hourly(7))).toEqual([])
  })

  it('gives up a session if the remaining calls suffice only for its list', () => {
    expect(lostOf([session('a', 1, 5), session('b', 1, 5)], hourly(7))).toEqual(['b 5'])
    expect(lostOf([session('a', 1, 5)], hourly(0))).toEqual(['a 5'])
  })

  it('gives up only the early session if only its deadline cannot be met', () => {
    const sessions = [session('early', 1, 50), session('late', 160, 50)]
    const { lost, scarceUntilMs } = forecastDeadlines(sessions, hourly(10))
    expect(lost.map(({ session: name, lost: many }) => [name, many])).toEqual([['early', 41]])
    expect(scarceUntilMs).toBe(at(1))
  })

  it('is unknown until the rate is known', () => {
    const options = { ...hourly(1), callsUntil: undefined }
    const { suffices, lost, horizons } = forecastDeadlines([session('a', 1, 500)], options)
    expect({ suffices, lost, allowed: horizons[0]?.allowed }).toEqual({
      suffices: undefined,
      lost: [],
      allowed: undefined,
    })
  })
})

describe('fetching in the forecast’s order', () => {
  it('fetches by deadline, and fetches archives that were given up only after the urgent ones', () => {
    const sessions = [
      session('given-up', 5, 30),
      session('outsiders', 10, 60, true),
      session('month', 700, 9, true),
    ]
    const names = (calls: number) =>
      orderForFetching(sessions, hourly(calls)).map(
        ({ session: { session: name }, archives }) => `${name} ${archives}`,
      )
    expect(names(100)).toEqual(['given-up 30', 'outsiders 60', 'month 9'])
    expect(names(7)).toEqual(['given-up 8', 'outsiders 60', 'given-up 22', 'month 9'])
    expect(names(6)).toEqual(['outsiders 59', 'outsiders 1', 'given-up 30', 'month 9'])
  })

  it('loses exactly the archives that the forecast named, for any sessions', () => {
    const drawn = fc.record({
      hours: fc.integer({ min: 1, max: 168 }),
      archives: fc.integer({ min: 1, max: 40 }),
      outsiders: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(drawn, { maxLength: 30 }),
        fc.integer({ min: 0, max: 8 }),
        (list, calls) => {
          const sessions = list.map(({ hours, archives, outsiders }, n) =>
            session(`s${n}`, hours, archives, outsiders),
          )
          const options = hourly(calls)
          const { lost } = forecastDeadlines(sessions, options)
          expect(fetchedInTime(sessions, options)).toEqual(
            new Map(
              sessions.map((one) => {
                const deleted = lost.find(({ session: name }) => name === one.session)?.lost ?? 0
                return [one.session, one.archives - deleted]
              }),
            ),
          )
        },
      ),
      { numRuns: 500 },
    )
  })
})

/** Simulates a fetch in that order, and counts its calls. */
function fetchedInTime(
  sessions: readonly PendingSession[],
  options: ReturnType<typeof hourly>,
): Map<string, number> {
  const fetched = new Map(sessions.map(({ session: name }) => [name, 0]))
  let calls = 0
  for (const turn of orderForFetching(sessions, options)) {
    const { session: name, pages, expiresAtMs } = turn.session
    calls += pages
    for (let n = 0; n < turn.archives; n++) {
      calls++
      if (calls <= options.callsUntil(expiresAtMs)) fetched.set(name, (fetched.get(name) ?? 0) + 1)
    }
  }
  return fetched
}
