import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryAfterMs } from '../../../src/api/answers/headers.ts'
import { backoffMs, decideRetry } from '../../../src/api/answers/retry.ts'
import { requestTarget } from '../../../src/api/call/request-address.ts'
import { ServiceError, TransportError } from '../../../src/core/errors.ts'
import { DAY_MS } from '../../../src/core/time/time.ts'
import { getSessionRecordings } from '../../../src/resources/recordings.ts'
import { listUsers } from '../../../src/resources/users.ts'
import { getWhiteboardSession } from '../../../src/resources/whiteboard-archives.ts'

const NOW = Date.UTC(2026, 4, 4, 12)
const wait = (value: string, date?: string): number | undefined =>
  retryAfterMs({ 'retry-after': value, ...(date === undefined ? {} : { date }) }, NOW)

describe('retryAfterMs', () => {
  it.each([
    ['30', 30_000],
    ['1.5', 1_500],
    ['1000000000000', DAY_MS],
    ['Mon, 04 May 2026 12:00:10 GMT', 10_000],
    ['2026-05-04T12:00:10Z', 10_000],
    ['2026-05-04T14:00:10+02:00', 10_000],
    ['2026-05-31T00:00:00Z', DAY_MS],
  ])('reads %s', (value, ms) => {
    expect(wait(value)).toBe(ms)
  })

  it.each([
    '',
    ' ',
    '0',
    '-5',
    'soon',
    'NaN',
    '1e9',
    '0x10',
    '2020-01-01T00:00:00Z',
    'Mon, garbage',
  ])('ignores "%s", so that our own backoff applies', (value) => {
    expect(wait(value)).toBeUndefined()
  })

  it('computes the wait from the response’s date, not from our clock', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 86_000 }),
        fc.integer({ min: -1e6, max: 1e6 }),
        (seconds, skewS) => {
          const serverMs = NOW + skewS * 1000
          const date = new Date(serverMs).toUTCString()
          const later = new Date(serverMs + seconds * 1000)
          expect(wait(later.toUTCString(), date)).toBe(seconds * 1000)
          expect(wait(later.toISOString(), date)).toBe(seconds * 1000)
        },
      ),
    )
  })

  it('is undefined or between zero and one day for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)),
        (value) => {
          const ms = wait(value)
          expect(ms === undefined || (ms > 0 && ms <= DAY_MS)).toBe(true)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('decideRetry', () => {
  const network = new TransportError('network', true, { tried: 'x', came: 'y' })
  const state = { tries: 1, rateRefusals: 0, nowMs: NOW, random: () => 0.5 }

  it('waits randomly between zero and a bound that doubles up to a minute', () => {
    expect([1, 2, 3, 7, 50].map((tries) => backoffMs(tries, () => 1))).toEqual([
      1_000, 2_000, 4_000, 60_000, 60_000,
    ])
    expect(backoffMs(5, () => 0)).toBe(0)
  })

  it('allows no retry after the eighth try, and none after a permanent fault', () => {
    expect(decideRetry(network, { ...state, tries: 7 })).toMatchObject({ again: true })
    expect(decideRetry(network, { ...state, tries: 8 })).toEqual({ again: false })
    expect(decideRetry(new Error('a bug'), state)).toEqual({ again: false })
    const refused = new ServiceError(
      { operation: 'x', status: 400, verdict: { kind: 'never' } },
      { tried: 'x', came: 'y' },
    )
    expect(decideRetry(refused, state)).toEqual({ again: false })
  })
})

describe('requestTarget', () => {
  const sessionId = fc.oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.stringMatching(/^[/+=%.\w]{1,30}$/),
  )

  it('encodes an ID reversibly, and twice if this is documented', () => {
    fc.assert(
      fc.property(sessionId, (id) => {
        fc.pre(isWellFormed(id) && !/^\.{1,2}$/.test(id))
        const odd = id.startsWith('+') || id.startsWith('/') || id.includes('//')
        for (const { operation, args, twice } of [
          { operation: getWhiteboardSession, args: { path: { seesionId: id } }, twice: false },
          { operation: getSessionRecordings, args: { path: { sessionId: id } }, twice: odd },
        ]) {
          const path = requestTarget({ operation, args }, '/v2')
          const [before = ''] = operation.path.split('{')
          const [segment = ''] = path.slice(`/v2${before}`.length).split(/[?/]/)
          expect(segment).not.toMatch(/[/+?#\s]/)
          const once = decodeURIComponent(segment)
          expect(twice ? decodeURIComponent(once) : once).toBe(id)
          // No value leads up the path or adds a segment to it.
          expect(new URL(path, 'http://h').pathname.startsWith(`/v2${before}`)).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('always sends the page size, repeats array names, and never sends an empty page token', () => {
    const query = { status: 'active', role_id: ['a&b', 'ü'], next_page_token: '', none: undefined }
    expect(requestTarget({ operation: listUsers, args: { query } }, '')).toBe(
      '/users?status=active&role_id=a%26b&role_id=%C3%BC&page_size=300',
    )
    const few = { operation: listUsers, args: { query: { page_size: 5 } } }
    expect(requestTarget(few, '')).toBe('/users?page_size=5')
  })

  it.each([{}, { seesionId: '' }, { seesionId: '..' }])('refuses the path value %j', (path) => {
    const target = { operation: getWhiteboardSession, args: { path } }
    expect(() => requestTarget(target, '/v2')).toThrow('the value of {seesionId} ')
  })
})

function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}
