import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventTime } from '../../../src/core/notifications/event-time.ts'
import { parseLossless } from '../../../src/core/values/json.ts'

const NOW_MS = Date.parse('2026-07-08T02:30:00Z')
const AT = '2026-07-08T01:30:00.000Z'
const MS = Date.parse(AT)

describe('the time of an event', () => {
  it.each([
    ['milliseconds', { event_ts: MS }],
    ['seconds', { event_ts: MS / 1000 }],
    ['digits', { event_ts: String(MS) }],
    ['seconds as digits', { event_ts: ` ${MS / 1000} ` }],
    ['a date-time', { event_ts: '2026-07-08T01:30:00Z' }],
    ['a date-time with an offset', { event_ts: '2026-07-08T03:30:00+02:00' }],
    ['a date-time with a blank', { event_ts: '2026-07-08 01:30:00' }],
    ['inside the payload', { payload: { event_ts: MS } }],
    ['inside the object', { event_ts: '', payload: { object: { event_ts: MS } } }],
  ])('is read from %s', (_form, body) => {
    const { at, ahead } = eventTime(body, NOW_MS)
    expect(Date.parse(at ?? '')).toBe(MS)
    expect(ahead).toBe(false)
  })

  it.each([[{}], [{ event_ts: null }], [[]], [null], ['text'], [{ payload: [{ event_ts: MS }] }]])(
    'is missing in %j',
    (body) => {
      expect(eventTime(body, NOW_MS)).toEqual({ received: null, at: null, ahead: false })
    },
  )

  it.each(['soon', '0', -5, 1.5, 12_345_678, '2026-13-01T00:00:00Z', '9'.repeat(400)])(
    'is stored as received, up to 100 characters, but not used if it is invalid (%s)',
    (event_ts) => {
      const { received, at } = eventTime({ event_ts }, NOW_MS)
      expect(received).toBe(String(event_ts).slice(0, 100))
      expect(at).toBeNull()
    },
  )

  it('has all digits of a number that no double can represent', () => {
    const body = parseLossless('{"event_ts": 17834742000000000001}')
    expect(eventTime(body, NOW_MS)).toMatchObject({ received: '17834742000000000001', at: null })
  })

  it('counts as ahead if it is more than a day after our clock', () => {
    const day = 86_400_000
    expect(eventTime({ event_ts: NOW_MS + day }, NOW_MS).ahead).toBe(false)
    expect(eventTime({ event_ts: NOW_MS + day + 1 }, NOW_MS).ahead).toBe(true)
  })

  it('can have any type and depth without causing an exception', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const body = { event_ts: JSON.parse(json) as unknown, payload: JSON.parse(json) as unknown }
        const { at } = eventTime(body, NOW_MS)
        expect(at === null || !Number.isNaN(Date.parse(at))).toBe(true)
      }),
    )
  })
})
