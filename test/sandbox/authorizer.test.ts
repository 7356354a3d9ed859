import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { callerWith, fetchToken, oauthCaller, videoCaller, videoToken } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'

const NOW_MS = Date.parse('2026-06-10T09:00:00Z')

describe('the token endpoint', () => {
  it('invalidates an app’s token when it issues a new one', () =>
    withSandbox({ readings: { invalidToken: '401' } }, async (sandbox) => {
      const first = await oauthCaller(sandbox)
      expect((await first.get('/users')).status).toBe(200)
      const second = await oauthCaller(sandbox)
      expect((await second.get('/users')).status).toBe(200)
      expect((await first.get('/users')).status).toBe(401)
      expect(sandbox.stats()).toMatchObject({ tokenRenewals: 2, unauthorized: 1 })
    }))

  it('issues tokens for one hour, after which a call may be answered with 400 and code 124', () =>
    withSandbox({ readings: { invalidToken: '400/124' } }, async (sandbox) => {
      const { body } = await fetchToken(sandbox)
      expect(body).toMatchObject({ token_type: 'bearer', api_url: sandbox.url })
      expect([3599, 3600]).toContain(body.expires_in)
      const caller = callerWith(sandbox, String(body.access_token))
      sandbox.advance(3_600_000)
      expect(await caller.get('/users')).toMatchObject({ status: 400, body: { code: 124 } })
    }))

  it('names what is wrong with a request', () =>
    withSandbox({}, async (sandbox) => {
      const app = sandbox.credentials[0]
      const ask = async (secret: string, body: Record<string, string>): Promise<unknown> => {
        const basic = Buffer.from(`${app?.clientId}:${secret}`).toString('base64')
        const response = await fetch(`${sandbox.authUrl}/oauth/token`, {
          method: 'POST',
          headers: { authorization: `Basic ${basic}` },
          body: new URLSearchParams(body),
        })
        expect(response.status).toBe(400)
        return ((await response.json()) as { error: string }).error
      }
      const account_id = app?.accountId ?? ''
      const grant_type = 'account_credentials'
      const secret = app?.clientSecret ?? ''
      expect(await ask('wrong', { grant_type, account_id })).toBe('invalid_client')
      expect(await ask(secret, { grant_type, account_id: 'other' })).toBe('invalid_grant')
      expect(await ask(secret, { grant_type: 'password' })).toBe('unsupported_grant_type')
      expect(await ask(secret, {})).toBe('invalid_request')
    }))
})

describe('the sandbox’s authorization', () => {
  it('accepts a longer video token if the one-hour limit is only a recommendation', () =>
    withSandbox({}, async (sandbox) => {
      const long = callerWith(sandbox, videoToken(sandbox, { lifetimeSeconds: 7_200 }))
      expect((await long.get('/videosdk/recordings')).status).toBe(200)
    }))

  it('accepts a video token only if it is signed with the secret and valid for at most an hour', () =>
    withSandbox({ readings: { jwtLifetime: 'refused' } }, async (sandbox) => {
      const path = '/videosdk/recordings'
      expect((await videoCaller(sandbox).get(path)).status).toBe(200)
      const long = callerWith(sandbox, videoToken(sandbox, { lifetimeSeconds: 3601 }))
      expect([400, 401]).toContain((await long.get(path)).status)
      const forged = callerWith(sandbox, `${videoToken(sandbox).slice(0, -4)}AAAA`)
      expect([400, 401]).toContain((await forged.get(path)).status)
      const oauth = await oauthCaller(sandbox)
      expect([400, 401]).toContain((await oauth.get(path)).status)
    }))

  it('names the missing scopes', () =>
    withSandbox({ accounts: [{ scopes: ['user:read:user:admin'] }] }, async (sandbox) => {
      const caller = await oauthCaller(sandbox)
      expect((await caller.get('/users/me')).status).toBe(200)
      const { status, body } = await caller.get('/users')
      expect({ status, code: body.code }).toEqual({ status: 400, code: 4711 })
      expect(body.message).toContain('does not contain scopes:[user:read:admin, user:read]')
    }))

  it('gives every response a tracking ID and the sandbox clock’s date', () =>
    withSandbox({}, async (sandbox) => {
      const caller = await oauthCaller(sandbox)
      const ids = new Set<string | null>()
      for (const path of ['/users', '/users/me', '/nothing'])
        ids.add((await caller.get(path)).headers.get('x-svc-trackingid'))
      expect(ids.size).toBe(3)
      const { headers } = await caller.get('/users')
      expect(headers.get('date')).toBe('Wed, 10 Jun 2026 09:00:00 GMT')
    }))
})

describe('an ID in a session path', () => {
  it('is found only if it is encoded once or twice, as documented', () =>
    withSandbox({}, async (sandbox) => {
      const caller = videoCaller(sandbox)
      const span = { from: '2026-05-12', to: '2026-06-09' }
      const listed = await caller.drain('/videosdk/recordings', 'sessions', {
        ...span,
        page_size: '300',
      })
      const ids = (listed as { session_id: string }[]).map(({ session_id }) => session_id)
      const once = encodeURIComponent
      const kinds = new Set<string>()
      for (const id of ids.slice(0, 60)) {
        const odd = id.startsWith('/') || id.startsWith('+') || id.includes('//')
        const written = odd ? [once(once(id)), once(id)] : [once(id), once(once(id))]
        const [right, wrong] = await Promise.all(
          written.map((part) => caller.get(`/videosdk/sessions/${part}/recordings`)),
        )
        expect({ status: right?.status, id: right?.body.session_id }).toEqual({ status: 200, id })
        expect(wrong?.status).toBe(404)
        for (const part of ['+', '/', '//', '%', '=']) if (id.includes(part)) kinds.add(part)
        if (odd) kinds.add(`begins ${id[0] ?? ''}`)
      }
      expect([...kinds]).toEqual(
        expect.arrayContaining(['+', '/', '//', '%', '=', 'begins +', 'begins /']),
      )
    }))
})

async function withSandbox(
  options: SandboxOptions,
  use: (sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: SMALL_SIZES, ...options })
  try {
    await use(sandbox)
  } finally {
    await sandbox.close()
  }
}
