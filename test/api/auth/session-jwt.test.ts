import { describe, expect, it } from 'vitest'
import { createSessionJwt } from '../../../src/api/auth/session-jwt.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

describe('the session JWT', () => {
  it('is signed with HS256, lasts at most an hour, and is issued again before its end', async () => {
    const clock = manualClock(Date.UTC(2026, 4, 4))
    const jwt = createSessionJwt({ apiKey: 'key', apiSecret: 'a'.repeat(32), clock })
    const first = await jwt.current()
    const [header = '', claims = ''] = first.value.split('.')
    const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
    const iat = clock.now() / 1000
    expect(decoded(header)).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(decoded(claims)).toEqual({ iss: 'key', iat, exp: iat + 3600 })
    expect(await jwt.current()).toBe(first)
    await clock.advance(3_550_000)
    expect(await jwt.current()).toMatchObject({ version: 2 })
    const third = await jwt.replace(2, true)
    expect(third).toMatchObject({ version: 3 })
    // Even within the same second, the new token differs from the refused one.
    const fourth = await jwt.replace(3, true)
    expect(fourth.version).toBe(4)
    expect(fourth.value).not.toBe(third.value)
  })
})
