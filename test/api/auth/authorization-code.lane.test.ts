import { describe, expect, it } from 'vitest'
import {
  beginAuthorization,
  codeFrom,
  exchangeCode,
} from '../../../src/api/auth/authorization-code.ts'
import { world } from './login-world.ts'

describe('the authorization code', () => {
  it('is bound to its own login attempt by state, redirect URL and verifier', async () => {
    for (const secret of ['client-secret-1', null]) {
      const { endpoint, allow, redirectUrl } = await world({}, secret)
      const first = await allow()
      const second = await allow()
      expect(first.authorization.state).not.toBe(second.authorization.state)
      expect(() => codeFrom(second.address, first.authorization)).toThrow(
        'belongs to another login',
      )
      const elsewhere = new URL(`${redirectUrl}/more${first.address.search}`)
      expect(() => codeFrom(elsewhere, first.authorization)).toThrow('is not redirectUrl')
      if (secret === null) {
        const mixed = exchangeCode(endpoint, second.authorization, first.code)
        await expect(mixed).rejects.toMatchObject({ code: 'invalid_grant' })
      }
      const granted = await exchangeCode(endpoint, second.authorization, second.code)
      expect(granted.refreshToken).toBeTypeOf('string')
    }
  })

  it('is requested with S256 for public clients, and without a secret in the URL', async () => {
    const { credentials, redirectUrl } = await world({}, null)
    const { url, codeVerifier } = await beginAuthorization(credentials, redirectUrl)
    const query = new URL(url).searchParams
    expect(query.get('code_challenge_method')).toBe('S256')
    expect(codeVerifier?.length).toBeGreaterThanOrEqual(43)
    expect(url).not.toContain(codeVerifier)
    const { credentials: own } = await world()
    const confidential = await beginAuthorization(own, redirectUrl)
    expect(confidential.url).not.toContain('client-secret-1')
    expect(new URL(confidential.url).searchParams.get('state')?.length).toBeGreaterThanOrEqual(22)
  })

  it('is refused the second time, and the token from the first time ends', async () => {
    const { endpoint, allow, sandbox } = await world()
    const { authorization, code } = await allow()
    const { accessToken } = await exchangeCode(endpoint, authorization, code)
    const ask = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${accessToken}` }
      return (await fetch(`${sandbox.baseUrl}/users/me`, { headers })).status
    }
    expect(await ask()).toBe(200)
    await expect(exchangeCode(endpoint, authorization, code)).rejects.toThrow('log in again')
    expect([400, 401]).toContain(await ask())
  })
})
