import { afterEach } from 'vitest'
import type { SandboxOptions } from '../../../sandbox/seed-data/options.ts'
import { startSandbox } from '../../../sandbox/server/server.ts'
import { tokenFrom } from '../../../src/api/auth/account-token.ts'
import { openAuthorities } from '../../../src/api/auth/authorities.ts'
import {
  beginAuthorization,
  codeFrom,
  exchangeCode,
} from '../../../src/api/auth/authorization-code.ts'
import { renewalOf } from '../../../src/api/auth/renewal.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { listenAtPoints } from '../../../src/core/kill-point.ts'
import { decide } from '../../cli/browser.ts'
import { type ManualClock, manualClock } from '../../helpers/manual-clock.ts'
import { TINY } from '../../helpers/world.ts'
import { memoryTokens } from '../memory-stores.ts'

export const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  listenAtPoints(undefined)
  for (const close of closers.splice(0)) await close()
})

export const LOGIN = 'callsheet login --account main'

/** The sandbox and one of its apps, on one clock. */
export async function world(
  options: SandboxOptions = {},
  secret: string | null = 'client-secret-1',
) {
  const clock = manualClock(Date.UTC(2026, 4, 4))
  const sandbox = await startSandbox({ sizes: TINY, clock, ...options })
  const credentials = {
    authUrl: sandbox.authUrl,
    clientId: secret === null ? 'public-client-1' : 'client-1',
    clientSecret: secret,
  }
  const store = memoryTokens(clock)
  const { endpoint, close } = openAuthorities({
    credentials,
    app: 'user-authorized',
    accountId: null,
    loginWith: LOGIN,
    sessionJwt: undefined,
    store,
    clock,
    observer: silentObserver,
  })
  closers.push(close, () => sandbox.close())
  const redirectUrl = sandbox.credentials[0]?.redirectUrl ?? ''
  const allow = async () => {
    const authorization = await beginAuthorization(credentials, redirectUrl)
    const back = await decide(authorization.url, 'allow')
    const address = new URL(back.headers.get('location') ?? '')
    return { authorization, address, code: codeFrom(address, authorization) }
  }
  const app = 'user-authorized'
  const request = renewalOf({ app, accountId: null, endpoint, clock, loginWith: LOGIN })
  const shared = { store, clock, observer: silentObserver, loginWith: LOGIN }
  return { clock, sandbox, credentials, endpoint, store, redirectUrl, allow, request, shared }
}

export async function loggedIn(options: SandboxOptions = {}) {
  const made = await world(options)
  const { authorization, code } = await made.allow()
  const granted = await exchangeCode(made.endpoint, authorization, code)
  await made.store.save(tokenFrom(granted, made.clock.now()), 0)
  return made
}

export const HOUR_MS = 3_600_000

/** Advances the clock until the promise is settled; requests take almost none of its time. */
export async function passing<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  const state = { done: false }
  const settled = promise.finally(() => {
    state.done = true
  })
  settled.catch(() => {})
  while (!state.done) {
    await clock.advance(250)
    for (let turn = 0; turn < 20 && !state.done; turn++) await new Promise(setImmediate)
  }
  return settled
}

/** An app with user logins, and a server that gives these answers in order. */
export function scripted(url: string, clock: ManualClock, store = memoryTokens(clock)) {
  const opened = openAuthorities({
    credentials: { authUrl: url.replace('/v2', ''), clientId: 'c', clientSecret: 's' },
    app: 'device',
    accountId: null,
    loginWith: LOGIN,
    sessionJwt: undefined,
    store,
    clock,
    observer: silentObserver,
  })
  closers.push(opened.close)
  return opened
}
