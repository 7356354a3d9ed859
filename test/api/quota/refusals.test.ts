import { describe, expect, it } from 'vitest'
import { DEFAULT_WAIT_MS } from '../../../src/api/answers/refusal.ts'
import { openAuthorities } from '../../../src/api/auth/authorities.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import type { RateLabel } from '../../../src/core/define/operation.ts'
import { LEARN_ALL, QUOTA_PRESETS, type Quotas } from '../../../src/core/define/quota.ts'
import { RateLimitedError } from '../../../src/core/errors.ts'
import { listUsers } from '../../../src/resources/users.ts'
import { driveQuota, governed, type Pressed, seeded } from '../drive-quota.ts'
import { eventClock } from '../event-clock.ts'
import { faultServer, JSON_TYPE, page, send } from '../fault-server.ts'
import { governorOf, NOON } from '../governor-under-test.ts'
import { hastyClock } from '../hasty-clock.ts'
import { LIMITERS } from '../limiters.ts'
import { memoryTokens, SERVER_APP } from '../memory-stores.ts'
import { servedClient } from '../served-client.ts'

const TOO_MANY = { tried: 'a call', came: 'one too many' }

const QUOTAS: Readonly<Record<string, Quotas>> = {
  business: QUOTA_PRESETS.business,
  starter: QUOTA_PRESETS.starter,
  'that nobody knows': LEARN_ALL,
}

interface Refusing {
  label: RateLabel
  quotas: string
  /** Returns true if the n-th call is refused, whatever the rate is. */
  refuses: (call: number) => boolean
}

/** Returns how long 160 calls take, in virtual seconds, and how many were refused. */
async function timeCalls({ label, quotas, refuses }: Refusing) {
  const clock = eventClock(NOON)
  const governor = governorOf({ clock, quotas: QUOTAS[quotas]!, reserve: 0.1, random: seeded(5) })
  let sentCalls = 0
  let refused = 0
  let left = CALLS
  const call = async (sent: () => void): Promise<void> => {
    sent()
    const isRefused = refuses(++sentCalls)
    await clock.sleep(60)
    if (!isRefused) return
    refused++
    throw new RateLimitedError('rate', clock.now() + DEFAULT_WAIT_MS[label], TOO_MANY)
  }
  const caller = async (): Promise<void> => {
    while (left-- > 0)
      for (let done = false; !done; )
        done = await governor.run(label, undefined, call).then(
          () => true,
          () => false,
        )
  }
  await clock.until(Promise.all(Array.from({ length: 8 }, caller)))
  await governor.close()
  return { seconds: clock.elapsed() / 1_000, refused }
}

/** The extra seconds, without those of the repeated calls and of the service's own waits. */
async function secondsLost({ label, quotas, refuses }: Refusing): Promise<number> {
  const quiet = await timeCalls({ label, quotas, refuses: () => false })
  const { seconds, refused } = await timeCalls({ label, quotas, refuses })
  expect(refused).toBeGreaterThan(1)
  const repeated = quiet.seconds * (1 + refused / CALLS)
  return seconds - repeated - (refused * DEFAULT_WAIT_MS[label]) / 1_000
}

const CALLS = 160
const SEEDS = 8
const PER_SECOND = Object.keys(QUOTAS).flatMap((quotas) =>
  (['LIGHT', 'MEDIUM', 'HEAVY'] as const).map((label) => ({ quotas, label })),
)

describe('429 responses that do not depend on our rate', () => {
  it.each(PER_SECOND)(
    'cost less than 100 seconds in total: $label with the quotas $quotas',
    async (of) => {
      for (const every of [2, 3, 5, 7, 11, 20]) {
        const refuses = (call: number) => call % every === 0
        expect(await secondsLost({ ...of, refuses }), `of every ${every} calls`).toBeLessThan(100)
      }
    },
  )

  it.each(PER_SECOND)(
    'cost less than 180 seconds if random: $label with the quotas $quotas',
    async (of) => {
      for (const share of [0.5, 0.33, 0.14, 0.05]) {
        let sum = 0
        for (let seed = 1; seed <= SEEDS; seed++) {
          const random = seeded(seed)
          sum += await secondsLost({ ...of, refuses: () => random() < share })
        }
        expect(sum / SEEDS, `a share of ${share}`).toBeLessThan(180)
      }
    },
  )

  it.each(Object.keys(QUOTAS))(
    'cost less than 750 seconds with a rate per minute: %s',
    async (quotas) => {
      for (const every of [2, 3, 7, 20]) {
        const refuses = (call: number) => call % every === 0
        const of = { label: 'RESOURCE-INTENSIVE', quotas, refuses } as const
        expect(await secondsLost(of), `of every ${every} calls`).toBeLessThan(750)
      }
    },
  )

  it.each(Object.keys(LIMITERS))(
    'are distinguished from a limit far below the known one (counted by %s)',
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
