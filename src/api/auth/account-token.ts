import type { Clock } from '../../core/clock.ts'
import { AuthenticationError } from '../../core/errors.ts'
import type { Observer } from '../../core/observer.ts'
import { point } from '../../core/point.ts'
import type { StoredToken, TokenStore, UserGrant } from '../../core/ports.ts'
import { DAY_MS } from '../../core/time.ts'
import type { Bearer, BearerToken } from './bearer.ts'
import { NEEDS_REAUTH, type Renewal, reauthError } from './renewal.ts'
import type { GrantedToken } from './token-endpoint.ts'

export interface AccountTokenOptions {
  store: TokenStore
  clock: Clock
  observer: Observer
  request: Renewal
  /** For people: what to run when only a login helps. */
  loginWith: string
}

/**
 * The one token that all processes of an account share. A new token ends the previous one, so exactly one
 * process may renew it: the one whose claim in the store succeeds. The others read the store until its
 * version rises.
 */
export function createAccountToken(options: AccountTokenOptions): Bearer {
  const { clock } = options
  let known: StoredToken | undefined
  let renewing: Promise<Obtained> | undefined
  const invalidated = new Map<number, number>()

  const lasts = (token: StoredToken | undefined): token is StoredToken =>
    token !== undefined && token.expiresAtMs - clock.now() > EARLY_MS

  /** Single flight: all calls of this process that need another token wait for one renewal. */
  const obtained = (seen: number): Promise<Obtained> => {
    renewing ??= obtain(options, seen, lasts)
      .then((result) => {
        known = result.token
        return result
      })
      .finally(() => {
        renewing = undefined
      })
    // Whoever asked may have left by now; a failure that nobody hears must not end the process.
    renewing.catch(() => {})
    return renewing
  }

  return {
    async current(signal) {
      if (lasts(known)) return bearer(known)
      return bearer((await abortable(obtained(0), signal)).token)
    },
    async replace(version, worked, signal) {
      while (!lasts(known) || known.version <= version) {
        // A flight that was already under way may bring the refused token itself, read from the store.
        const { token, renewedHere } = await abortable(obtained(version), signal)
        if (worked && renewedHere) noteInvalidation(invalidated, token.version, clock)
      }
      return bearer(known)
    },
  }
}

interface Obtained {
  token: StoredToken
  renewedHere: boolean
}

/**
 * Reads the store, and renews only what nobody else has renewed. Ends: a claim lasts no longer than
 * `CLAIM_MS`.
 */
async function obtain(
  options: AccountTokenOptions,
  seen: number,
  lasts: (token: StoredToken | undefined) => token is StoredToken,
): Promise<Obtained> {
  const { store, clock } = options
  const startedMs = clock.elapsed()
  while (clock.elapsed() - startedMs < PATIENCE_MS) {
    const stored = await store.read()
    if (stored?.needsReauth !== undefined) throw reauthError(stored.needsReauth, options.loginWith)
    if (lasts(stored) && stored.version > seen) return { token: stored, renewedHere: false }
    const version = stored?.version ?? 0
    await point('token:claiming')
    if (await store.claimRenewal(version, CLAIM_MS)) {
      await point('token:claimed')
      const token = await renew(options, stored)
      if (token !== undefined) return { token, renewedHere: true }
      continue
    }
    await clock.sleep(POLL_MS)
  }
  throw new AuthenticationError('token_renewal_stuck', {
    tried: 'waiting for another process to renew the account token',
    expected: `a new token within ${PATIENCE_MS / 1000} s`,
    came: 'none',
    todo: 'look for a process that hangs, then run again',
  })
}

/** Undefined where it was refused because another process was quicker: the store has what came of that. */
async function renew(
  options: AccountTokenOptions,
  stored: StoredToken | undefined,
): Promise<StoredToken | undefined> {
  const { store, clock, observer, request } = options
  const version = stored?.version ?? 0
  try {
    // The lifetime counts from before the request, so that a slow answer cannot make it look longer.
    const askedAtMs = clock.now()
    await point('token:sending')
    const granted = await request(stored)
    await point('token:received')
    const saved = await store.save(tokenFrom(granted, askedAtMs, stored?.grant), version)
    await point('token:persisted')
    observer.event('auth.renewed', { version: saved.version, scopes: saved.scope.length })
    return saved
  } catch (error) {
    // A claim that cannot be given back runs out by itself; what went wrong first is the one to tell.
    if (!(error instanceof AuthenticationError) || error.code !== NEEDS_REAUTH) {
      await store.releaseClaim().catch(() => {})
      throw error
    }
    await store.demandLogin(error.facts.came, version).catch(() => {})
    const now = await store.read().catch(() => undefined)
    if ((now?.version ?? version) === version) throw error
    return undefined
  }
}

/** What is to be stored of a token that was just granted, and of the login before it. */
export function tokenFrom(
  { accessToken, expiresInSeconds, scope, refreshToken }: GrantedToken,
  askedAtMs: number,
  before?: UserGrant,
): Omit<StoredToken, 'version' | 'needsReauth'> {
  const token = { accessToken, expiresAtMs: askedAtMs + expiresInSeconds * 1000, scope }
  if (refreshToken === undefined) return before === undefined ? token : { ...token, grant: before }
  const previous = before === undefined ? {} : { previousRefreshToken: before.refreshToken }
  const grant = { refreshToken, ...previous, endsAtMs: askedAtMs + REFRESH_LIFETIME_MS }
  return { ...token, grant }
}

/**
 * A token that stops working again and again before its time is taken away by another program: not fought
 * over. `invalidated` holds, by version, when the tokens were renewed that came in place of such a one.
 */
function noteInvalidation(invalidated: Map<number, number>, version: number, clock: Clock): void {
  const now = clock.elapsed()
  for (const [other, at] of invalidated) {
    if (now - at > FIGHT_WINDOW_MS) invalidated.delete(other)
  }
  if (!invalidated.has(version)) invalidated.set(version, now)
  if (invalidated.size < FIGHT_RENEWALS) return
  throw new AuthenticationError('another_program', {
    tried: 'keeping a token for the account',
    expected: 'each token to last about an hour',
    came: `another program uses this app: ${invalidated.size} tokens were made invalid within two minutes`,
    todo: 'give that program, or this one, an app of its own; one app has one live token',
  })
}

function bearer(token: StoredToken): BearerToken {
  return { value: token.accessToken, version: token.version, scopes: token.scope }
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const REFRESH_LIFETIME_MS = 90 * DAY_MS
/** A token is renewed this long before its end. */
const EARLY_MS = 60_000
const CLAIM_MS = 30_000
const PATIENCE_MS = 120_000
const POLL_MS = 250
const FIGHT_RENEWALS = 3
const FIGHT_WINDOW_MS = 120_000
