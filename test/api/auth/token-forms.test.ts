import { afterEach, expect, it } from 'vitest'
import { openAuthorities } from '../../../src/api/auth/authorities.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { type Answer, faultServer, send } from '../fault-server.ts'
import { memoryTokens, SERVER_APP } from '../memory-stores.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function tokenOf(answer: Answer) {
  const server = await faultServer(answer)
  const clock = manualClock(Date.UTC(2026, 4, 4))
  const opened = openAuthorities({
    credentials: { authUrl: server.url.replace('/v2', ''), clientId: 'c', clientSecret: 's' },
    ...SERVER_APP,
    accountId: 'acc',
    sessionJwt: undefined,
    store: memoryTokens(clock),
    clock,
    observer: silentObserver,
  })
  closers.push(opened.close, server.close)
  const token = await opened.oauth.current().catch((error: unknown) => error as Error)
  return { token, said: token instanceof Error ? token.message : '', requests: server.requests }
}

it.each([
  ['without a token_type', { access_token: 'T', expires_in: 3600, scope: 'a b' }],
  ['with a token_type of null', { access_token: 'T', token_type: null, scope: 'a b' }],
  ['with an empty token_type', { access_token: 'T', token_type: '', scope: 'a b' }],
  ['with a Bearer', { access_token: 'T', token_type: 'Bearer', scope: 'a b' }],
  ['with scopes in a list', { access_token: 'T', token_type: 'bearer', scope: ['a', 'b'] }],
  ['with a refresh token of null', { access_token: 'T', refresh_token: null, scope: 'a b' }],
])('a token response %s is accepted', async (_name, body) => {
  const { token } = await tokenOf(send(200, body))
  expect(token).toEqual({ value: 'T', version: 1, scopes: ['a', 'b'] })
})

it('a redirect of the authorization server is reported with its target', async () => {
  const moved = send(308, '', { location: 'https://id.example.org/oauth/token?x=1' })
  const { said, requests } = await tokenOf(moved)
  expect(said).toContain('HTTP 308 to https://id.example.org')
  expect(said).toContain('set authUrl to https://id.example.org')
  expect(requests).toHaveLength(1)
})
