import { describe, expect, it } from 'vitest'
import { DEFAULT_WAIT_MS } from '../../../src/api/answers/refusal.ts'
import { QUOTA_PRESETS } from '../../../src/core/declare/quota.ts'
import { RateLimitedError } from '../../../src/core/errors/errors.ts'
import { listUsers } from '../../../src/resources/users.ts'
import { seeded } from '../drive-quota.ts'
import { eventClock } from '../event-clock.ts'
import { JSON_TYPE, page, send } from '../fault-server.ts'
import { governorOf, NOON } from '../governor-under-test.ts'
import { servedClient } from '../served-client.ts'

const TOO_MANY = { tried: 'a call', came: 'one too many' }

/** How long 160 calls take, in virtual seconds, where every n-th is refused whatever the rate is. */
async function secondsOf(label: 'LIGHT' | 'HEAVY', every: number): Promise<number> {
  const clock = eventClock(NOON)
  const quotas = QUOTA_PRESETS.business
  const governor = governorOf({ clock, quotas, reserve: 0.1, random: seeded(5) })
  let sentCalls = 0
  let left = 160
  const call = async (sent: () => void): Promise<void> => {
    sent()
    const isRefused = ++sentCalls % every === 0
    await clock.sleep(60)
    if (isRefused)
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
  return clock.elapsed() / 1_000
}

describe('refusals that come whatever the rate is', () => {
  it.each([
    ['LIGHT', 7, 60],
    ['HEAVY', 7, 90],
    ['LIGHT', 20, 60],
    ['HEAVY', 3, 600],
  ] as const)('%s: of every %i-th call cost %i s at most', async (label, every, most) => {
    expect(await secondsOf(label, every)).toBeLessThan(most)
  })

  it.each(['0', '-5', 'Thu, 01 Jan 1970 00:00:00 GMT', '', '60', '899'])(
    'of each call end, whatever Retry-After says: "%s"',
    async (value) => {
      const refusal = send(429, '', value === '' ? {} : { 'retry-after': value })
      const { fetch, server, clock } = await servedClient([refusal])
      expect(await fetch()).toMatchObject({ code: 'always_limited', retry: { kind: 'backoff' } })
      expect(server.requests.length).toBeLessThanOrEqual(20)
      expect(clock.elapsed()).toBeLessThan(2 * 3_600_000)
      // Each further call finds out for itself, by one request.
      const before = server.requests.length
      expect(await fetch()).toMatchObject({ code: 'always_limited' })
      expect(server.requests.length - before).toBe(1)
    },
  )

  it('end with the first answer', async () => {
    const refusals = Array.from({ length: 21 }, () => send(429, ''))
    const { fetch, server } = await servedClient([...refusals, page()])
    expect(await fetch()).toMatchObject({ code: 'always_limited' })
    await fetch()
    expect(await fetch()).toMatchObject({ records: [] })
    expect(server.requests.length).toBeLessThanOrEqual(23)
  })
})

describe('an answer that cannot change', () => {
  it.each([
    ['HTML', send(200, '<html>a portal</html>', { 'content-type': 'text/html' })],
    ['no JSON', send(200, 'hello', JSON_TYPE)],
    ['another character set', send(200, Buffer.from('{"users":[{"id":"\xe9"}]}', 'latin1'))],
    ['nothing', send(200, '', JSON_TYPE)],
  ])('is asked for three times: %s', async (_name, answer) => {
    const { fetch, server, clock } = await servedClient([answer])
    expect(await fetch(listUsers)).toMatchObject({ code: 'not_the_due_json' })
    expect(server.requests).toHaveLength(3)
    expect(clock.elapsed()).toBeLessThan(10_000)
  })

  it('is asked for again while it changes', async () => {
    const broken = (n: number) => send(200, `{"users":[${n}`, JSON_TYPE)
    const { fetch, server } = await servedClient([broken(1), broken(2), broken(3), page()])
    expect(await fetch()).toMatchObject({ records: [] })
    expect(server.requests).toHaveLength(4)
  })
})
