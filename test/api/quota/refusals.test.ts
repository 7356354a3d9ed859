import { describe, expect, it } from 'vitest'
import { openAuthorities } from '../../../src/api/auth/authorities.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { QUOTA_PRESETS } from '../../../src/core/define/quota.ts'
import { listUsers } from '../../../src/resources/users.ts'
import { driveQuota, governed, type Pressed } from '../drive-quota.ts'
import { faultServer, JSON_TYPE, page, send } from '../fault-server.ts'
import { hastyClock } from '../hasty-clock.ts'
import { LIMITERS } from '../limiters.ts'
import { memoryTokens, SERVER_APP } from '../memory-stores.ts'
import { servedClient } from '../served-client.ts'

describe('429 responses that do not depend on our rate', () => {
  it.each(Object.keys(LIMITERS))(
    'do not prevent finding a real limit far below the known one (counted by %s)',
    async (kind) => {
      for (const calls of [1, 3, 10]) {
        const starter = governed(QUOTA_PRESETS.business)
        const labels: Pressed[] = [{ label: 'LIGHT', calls, perMs: 1_000 }]
        const latency = { leastMs: 10, jitterMs: 10, workMs: 60 }
        const [driven] = await driveQuota({ kind, labels, starter, minutes: 4, latency, seed: 7 })
        expect((driven?.refused ?? 0) / (driven?.sent ?? 1), `${calls} a second`).toBeLessThan(0.15)
        expect(driven?.used).toBeGreaterThan(0.8)
      }
    },
  )

  it.each(['0', '-5', 'Thu, 01 Jan 1970 00:00:00 GMT', '', '60', '899'])(
    'make each call fail in the end, whatever Retry-After is: "%s"',
    async (value) => {
      const refusal = send(429, '', value === '' ? {} : { 'retry-after': value })
      const { fetch, server, clock } = await servedClient([refusal])
      expect(await fetch()).toMatchObject({ code: 'always_limited', retry: { kind: 'backoff' } })
      expect(server.requests.length).toBeLessThanOrEqual(20)
      expect(clock.elapsed()).toBeLessThan(2 * 3_600_000)
      // Each further call sends one request to find out for itself.
      const before = server.requests.length
      expect(await fetch()).toMatchObject({ code: 'always_limited' })
      expect(server.requests.length - before).toBe(1)
    },
  )

  it('are over once a call succeeds', async () => {
    const refusals = Array.from({ length: 21 }, () => send(429, ''))
    const { fetch, server } = await servedClient([...refusals, page()])
    expect(await fetch()).toMatchObject({ code: 'always_limited' })
    await fetch()
    expect(await fetch()).toMatchObject({ records: [] })
    expect(server.requests.length).toBeLessThanOrEqual(23)
  })
})

describe('a response that cannot be parsed', () => {
  it.each([
    ['HTML', send(200, '<html>a portal</html>', { 'content-type': 'text/html' })],
    ['text that is not JSON', send(200, 'hello', JSON_TYPE)],
    ['another character set', send(200, Buffer.from('{"users":[{"id":"\xe9"}]}', 'latin1'))],
    ['nothing', send(200, '', JSON_TYPE)],
  ])('is requested three times: %s', async (_name, answer) => {
    const { fetch, server, clock } = await servedClient([answer])
    expect(await fetch(listUsers)).toMatchObject({ code: 'unexpected_answer' })
    expect(server.requests).toHaveLength(3)
    expect(clock.elapsed()).toBeLessThan(10_000)
  })

  it.each([
    ['HTML with the ID of the request', (n: number) => send(200, `<html>${n}`, HTML)],
    [
      'JSON cut at other places',
      (n: number) => send(200, `{"users":[${'1,'.repeat(n)}`, JSON_TYPE),
    ],
    [
      'a different fault each time',
      (n: number) =>
        [send(200, '', JSON_TYPE), send(200, 'no', JSON_TYPE), send(200, '<p>', HTML)][n % 3]!,
    ],
  ])('is requested three times, even if its bytes differ: %s', async (_name, answer) => {
    const { fetch, server, clock } = await servedClient([0, 1, 2, 3, 4, 5, 6, 7].map(answer))
    expect(await fetch()).toMatchObject({ code: 'unexpected_answer' })
    expect(server.requests).toHaveLength(3)
    expect(clock.elapsed()).toBeLessThan(10_000)
  })

  it('is requested three times if a token was expected', async () => {
    const issuer = await faultServer((request, response) =>
      send(200, `<html>${Math.random()}`, HTML)(request, response),
    )
    const clock = hastyClock()
    const app = { authUrl: issuer.url, clientId: 'c', clientSecret: 's' }
    const of = {
      credentials: app,
      ...SERVER_APP,
      sessionJwt: undefined,
      store: memoryTokens(clock),
    }
    const authorities = openAuthorities({ ...of, clock, observer: silentObserver })
    const { fetch } = await servedClient([page()], { authorities, clock })
    expect(await fetch()).toMatchObject({ code: 'unexpected_answer' })
    expect(issuer.requests).toHaveLength(3)
    await authorities.close()
    await issuer.close()
  })

  it('is requested again each time, unless it occurs three times in a row', async () => {
    const broken = (n: number) => send(200, `{"users":[${n}`, JSON_TYPE)
    const away = send(503, '')
    const answers = [broken(1), broken(2), away, broken(3), broken(3), page()]
    const { fetch, server } = await servedClient(answers)
    expect(await fetch()).toMatchObject({ records: [] })
    expect(server.requests).toHaveLength(6)
  })
})

const HTML = { 'content-type': 'text/html' }
