import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { retryAfterMs } from '../../src/api/answers/headers.ts'
import { decideRetry, RETRY_RULES } from '../../src/api/answers/retry.ts'
import { ServiceError, TransportError } from '../../src/core/errors.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { anyText, holds } from './holds.ts'

const nows = fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2090-01-01') })
const dates = fc
  .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  .chain((date) =>
    fc.constantFrom(
      date.toUTCString(),
      date.toISOString(),
      date.toISOString().slice(0, 19).replace('T', ' '),
      date.toUTCString().replace('GMT', ''),
    ),
  )
const values = fc.oneof(
  anyText(),
  dates,
  fc.integer().map(String),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.stringMatching(/^[-+0-9eE. ]{0,20}$/),
)

it('any Retry-After, Date and clock lead to no wait, or to a wait of at most a day', async () => {
  let waits = 0
  const headers = fc.record({
    value: values,
    date: fc.option(fc.oneof(values, dates)),
    nowMs: nows,
  })
  await holds(
    fc.property(headers, ({ value, date, nowMs }) => {
      const ms = retryAfterMs({ 'retry-after': value, ...(date === null ? {} : { date }) }, nowMs)
      if (ms === undefined) return
      waits++
      expect(Number.isFinite(ms)).toBe(true)
      expect(ms).toBeGreaterThan(0)
      expect(ms).toBeLessThanOrEqual(DAY_MS)
    }),
  )
  expect(waits).toBeGreaterThan(50)
})

it('the wait is exactly the requested seconds, up to a day', async () => {
  await holds(
    fc.property(fc.integer({ min: 1, max: 200_000 }), nows, (seconds, nowMs) => {
      const ms = retryAfterMs({ 'retry-after': ` ${seconds} ` }, nowMs)
      expect(ms).toBe(Math.min(seconds * 1000, DAY_MS))
    }),
  )
})

it('a retry never waits less than requested or endlessly, and ends after the maximum attempts', async () => {
  const states = fc.record({
    tries: fc.integer({ min: 1, max: 20 }),
    rateRefusals: fc.integer({ min: 0, max: 200 }),
    nowMs: nows,
    draw: fc.double({ min: 0, max: 0.999_999, noNaN: true }),
    askedMs: fc.integer({ min: 1, max: DAY_MS }),
  })
  await holds(
    fc.property(states, ({ draw, askedMs, ...state }) => {
      const facts = { tried: 'x', came: 'y' }
      const random = (): number => draw
      const verdict = { kind: 'wait', untilMs: state.nowMs + askedMs, scope: 'rate' } as const
      const asked = new ServiceError({ operation: 'x', status: 503, verdict }, facts)
      const waits = [
        { error: new TransportError('network', true, facts), least: 0, most: RETRY_RULES.capMs },
        { error: asked, least: askedMs, most: Math.max(askedMs, RETRY_RULES.capMs) },
      ]
      for (const { error, least, most } of waits) {
        const decision = decideRetry(error, { ...state, random })
        const bearable = least <= QUARTER_HOUR_MS
        expect(decision.again).toBe(bearable && state.tries < RETRY_RULES.maxTries)
        if (!decision.again) continue
        expect(decision.waitMs).toBeGreaterThanOrEqual(least)
        expect(decision.waitMs).toBeLessThanOrEqual(most)
      }
    }),
  )
})

/** Who asks for a longer rest is left to the next run. */
const QUARTER_HOUR_MS = 900_000
