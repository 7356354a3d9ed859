import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { callerWith } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'

const VERIFIER = 'v'.repeat(50)
const S256 = createHash('sha256').update(VERIFIER).digest('base64url')

describe('the authorization page', () => {
  it('returns a code only for response_type=code', () =>
    withSandbox(async (sandbox) => {
      expect((await allow(sandbox, {})).get('code')).toBeTypeOf('string')
      const other = await allow(sandbox, { response_type: 'token' })
      expect(other.get('error')).toBe('unsupported_response_type')
      expect(other.has('code')).toBe(false)
    }))

  it.each([
    { method: 'S256', challenge: S256, status: 200 },
    { method: 'S256', challenge: VERIFIER, status: 400 },
    { method: 'plain', challenge: VERIFIER, status: 200 },
    { method: undefined, challenge: VERIFIER, status: 200 },
    { method: undefined, challenge: S256, status: 400 },
  ])('checks the verifier by $method (by default "plain"): status $status', (asked) =>
    withSandbox(async (sandbox) => {
      const { method, challenge, status } = asked
      const client_id = sandbox.credentials[0]?.publicClientId ?? ''
      const said = method === undefined ? {} : { code_challenge_method: method }
      const back = await allow(sandbox, { client_id, code_challenge: challenge, ...said })
      const code = back.get('code') ?? ''
      const form = { grant_type: 'authorization_code', code, client_id, code_verifier: VERIFIER }
      expect((await token(sandbox, form, false)).status).toBe(status)
    }),
  )

  it('refuses any other challenge method', () =>
    withSandbox(async (sandbox) => {
      const client_id = sandbox.credentials[0]?.publicClientId ?? ''
      const asked = { client_id, code_challenge: S256, code_challenge_method: 'S512' }
      expect((await allow(sandbox, asked)).get('error')).toBe('invalid_request')
    }))
})

describe('the required place of OAuth parameters', () => {
  it('is the form if an app without a secret exchanges a code', () =>
    withSandbox(async (sandbox) => {
      const { publicClientId: client_id = '', redirectUrl = '' } = sandbox.credentials[0] ?? {}
      const exchange = async (place: 'query' | 'form') => {
        const code = (await allow(sandbox, { client_id, code_challenge: VERIFIER })).get('code')
        const given = new URLSearchParams({
          grant_type: 'authorization_code',
          code: code ?? '',
          client_id,
          code_verifier: VERIFIER,
          redirect_uri: redirectUrl,
        })
        const address = `${sandbox.authUrl}/oauth/token`
        const sent = place === 'form' ? address : `${address}?${given.toString()}`
        const body = place === 'form' ? given : new URLSearchParams()
        return (await fetch(sent, { method: 'POST', body })).status
      }
      expect([await exchange('query'), await exchange('form')]).toEqual([400, 200])
    }))

  it('is the query if an app requests a device code', () =>
    withSandbox(async (sandbox) => {
      const { clientId = '', clientSecret = '' } = sandbox.credentials[0] ?? {}
      const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
      const asked = async (query: string, form: Record<string, string>) => {
        const response = await fetch(`${sandbox.authUrl}/oauth/devicecode${query}`, {
          method: 'POST',
          headers: { authorization: `Basic ${basic}` },
          body: new URLSearchParams(form),
        })
        return response.status
      }
      expect(await asked('', { client_id: clientId })).toBe(400)
      expect(await asked(`?client_id=${clientId}`, {})).toBe(200)
    }))
})

describe('a refresh token', () => {
  it.each([
    { days: 89, status: 200 },
    { days: 91, status: 400 },
  ])('is valid for 90 days: the answer after $days days is $status', ({ days, status }) =>
    withSandbox(async (sandbox) => {
      const code = (await allow(sandbox, {})).get('code') ?? ''
      const first = await token(sandbox, { grant_type: 'authorization_code', code }, true)
      sandbox.advance(days * DAY_MS)
      const refresh_token = String(first.body.refresh_token)
      const again = await token(sandbox, { grant_type: 'refresh_token', refresh_token }, true)
      expect(again.status).toBe(status)
      expect(again.body.refresh_token === undefined).toBe(status === 400)
      expect(again.body.refresh_token).not.toBe(refresh_token)
    }),
  )
})

describe('a chatbot', () => {
  it('gets a token for chatbot messages only, without a refresh token', () =>
    withSandbox(async (sandbox) => {
      const { status, body } = await token(sandbox, { grant_type: 'client_credentials' }, true)
      expect(status).toBe(200)
      expect(body).toMatchObject({ scope: 'imchat:bot', token_type: 'bearer' })
      expect(body).not.toHaveProperty('refresh_token')
      const caller = callerWith(sandbox, String(body.access_token))
      expect((await caller.get('/users')).status).toBeGreaterThanOrEqual(400)
    }))
})

describe('the JWT for video sessions', () => {
  it.each([
    ['Person1', 200],
    ['a'.repeat(36), 200],
    ['a'.repeat(37), 401],
    ['a-b', 401],
    ['', 401],
  ])('with the user name %j is answered %i', (user_identity, status) =>
    withSandbox(async (sandbox) => {
      const { apiKey = '', apiSecret = '' } = sandbox.credentials[0] ?? {}
      const value = await new SignJWT({ user_identity })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(apiKey)
        .setIssuedAt(Math.floor(sandbox.clock.now() / 1000))
        .setExpirationTime(Math.floor(sandbox.clock.now() / 1000) + 600)
        .sign(new TextEncoder().encode(apiSecret))
      const answer = await callerWith(sandbox, value).get('/videosdk/recordings')
      expect(answer.status).toBe(status)
    }),
  )
})

describe('a user’s consent to an app', () => {
  it('is requested once, and again after the scopes change', () =>
    withSandbox(async (sandbox) => {
      expect(await askedOnPage(sandbox)).toBe(true)
      await allow(sandbox, { decision: 'deny' })
      expect(await askedOnPage(sandbox)).toBe(true)
      await allow(sandbox, {})
      const answered = await opened(sandbox)
      expect(answered.status).toBe(302)
      const back = new URL(answered.headers.get('location') ?? '')
      expect(back.searchParams.get('code')).toMatch(/./)
      await changeScopes(sandbox, ['user:read:admin'])
      expect(await askedOnPage(sandbox)).toBe(true)
      await allow(sandbox, {})
      expect(await askedOnPage(sandbox)).toBe(false)
    }))

  it('is requested every time if the client is public', () =>
    withSandbox(async (sandbox) => {
      const { publicClientId: client_id = '' } = sandbox.credentials[0] ?? {}
      const asked = { client_id, code_challenge: 'abc' }
      for (let time = 0; time < 2; time++) {
        expect(await askedOnPage(sandbox, asked)).toBe(true)
        expect((await allow(sandbox, asked)).get('code')).toMatch(/./)
      }
    }))
})

/** Opens the address of the login as a browser does, and returns the response. */
async function opened(sandbox: Sandbox, asked: Record<string, string> = {}): Promise<Response> {
  const { clientId: client_id = '', redirectUrl: redirect_uri = '' } = sandbox.credentials[0] ?? {}
  const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri, ...asked })
  return await fetch(`${sandbox.authUrl}/oauth/authorize?${query.toString()}`, {
    redirect: 'manual',
  })
}

async function askedOnPage(sandbox: Sandbox, asked?: Record<string, string>): Promise<boolean> {
  const response = await opened(sandbox, asked)
  return response.status === 200 && (await response.text()).includes('Allow this app?')
}

async function changeScopes(sandbox: Sandbox, scopes: readonly string[]): Promise<void> {
  const clientId = sandbox.credentials[0]?.clientId
  await fetch(`${sandbox.url}/__sandbox/app-scopes`, {
    method: 'POST',
    body: JSON.stringify({ clientId, scopes }),
  })
}

async function withSandbox(work: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const nowMs = Date.parse('2026-06-10T09:00:00Z')
  const sandbox = await startSandbox({ nowMs, sizes: SMALL_SIZES })
  try {
    await work(sandbox)
  } finally {
    await sandbox.close()
  }
}

/** Allows the app as its user does. Returns the parameters with which the browser is sent back to the app. */
async function allow(sandbox: Sandbox, asked: Record<string, string>): Promise<URLSearchParams> {
  const { clientId: client_id = '', redirectUrl: redirect_uri = '' } = sandbox.credentials[0] ?? {}
  const fields = { response_type: 'code', client_id, redirect_uri, decision: 'allow', ...asked }
  const response = await fetch(`${sandbox.authUrl}/oauth/authorize`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
  return new URL(response.headers.get('location') ?? '').searchParams
}

async function token(sandbox: Sandbox, form: Record<string, string>, confidential: boolean) {
  const [app] = sandbox.credentials
  const basic = Buffer.from(`${app?.clientId}:${app?.clientSecret}`).toString('base64')
  const redirect_uri = app?.redirectUrl ?? ''
  const response = await fetch(`${sandbox.authUrl}/oauth/token`, {
    method: 'POST',
    headers: confidential ? { authorization: `Basic ${basic}` } : {},
    body: new URLSearchParams({ redirect_uri, ...form }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
