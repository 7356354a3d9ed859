import type { Observer } from '../../core/define/observer.ts'
import type { StoredToken, TokenStore, UserGrant } from '../../core/define/ports.ts'
import { AuthenticationError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { whenAborted } from '../../core/waiting.ts'
import type { Bearer, BearerToken } from '../call/authorize.ts'
import { type Contention, createContention } from './contention.ts'
import { NEEDS_REAUTH, type Renewal, reauthError } from './renewal.ts'
import type { GrantedToken } from './token-endpoint.ts'

export interface AccountTokenOptions {
  store: TokenStore
  clock: Clock
  observer: Observer
  request: Renewal
  /** The command that errors tell a person to run if only a login helps. */
  loginWith: string
}

/**
 * The one token that all processes of an account share. A new token ends the previous one, so only one
 * process may renew it: the one that gets the claim in the store. The others read the store until its version
 * rises.
 */
export function createAccountToken(options: AccountTokenOptions): Bearer {
  const { clock } = options
  let known: StoredToken | undefined
  let renewing: Promise<Obtained> | undefined
  const contention = createContention(options)

  const lasts = (token: StoredToken | undefined): token is StoredToken =>
    token !== undefined && token.expiresAtMs - clock.now() > EARLY_MS

  /** All calls of this process that need another token share one renewal. */
  const obtained = (seen: number): Promise<Obtained> => {
    renewing ??= obtain(options, { seen, lasts, contention })
      .then((result) => {
        known = result.token
        return result
      })
      .finally(() => {
        renewing = undefined
      })
    // The caller may have left; an error that nobody handles must not end the process.
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
        // A renewal in progress may return the refused token itself, read from the store.
        const { token, renewedHere } = await abortable(obtained(version), signal)
        if (worked && renewedHere) contention.note(token.version)
      }
      return bearer(known)
    },
    remark: contention.remark,
  }
}

interface Obtained {
  token: StoredToken
  renewedHere: boolean
}

/**
 * Returns a token newer than version `seen`: from the store if another process has renewed it, otherwise by
 * renewing it here. Waits at most `PATIENCE_MS`; a claim of another process expires after `CLAIM_MS`.
 */
async function obtain(
  options: AccountTokenOptions,
  {
    seen,
    lasts,
    contention,
  }: {
    seen: number
    lasts: (token: StoredToken | undefined) => token is StoredToken
    contention: Contention
  },
): Promise<Obtained> {
  const { store, clock } = options
  const startedMs = clock.elapsed()
  let pauseMs = contention.pauseMs()
  while (clock.elapsed() - startedMs < PATIENCE_MS) {
    const stored = await store.read()
    if (stored?.needsReauth !== undefined) throw reauthError(stored.needsReauth, options.loginWith)
    if (lasts(stored) && stored.version > seen) return { token: stored, renewedHere: false }
    if (pauseMs > 0) {
      await clock.sleep(pauseMs)
      pauseMs = 0
      continue
    }
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
    tried: 'Waiting for another process to renew the account token',
    came: `no new token was stored within ${PATIENCE_MS / 1000} s`,
    todo: 'end any callsheet process that hangs, then run again',
  })
}

/**
 * Renews the token. Returns undefined if the service refused this process because another one renewed first;
 * the new token is then in the store.
 */
async function renew(
  options: AccountTokenOptions,
  stored: StoredToken | undefined,
): Promise<StoredToken | undefined> {
  const { store, clock, observer, request } = options
  const version = stored?.version ?? 0
  try {
    // The lifetime counts from before the request, so that a slow answer does not make it look longer.
    const askedAtMs = clock.now()
    await point('token:sending')
    const granted = await request(stored)
    await point('token:received')
    const saved = await store.save(tokenFrom(granted, askedAtMs, stored?.grant), version)
    await point('token:persisted')
    observer.event('auth.renewed', { version: saved.version, scopes: saved.scope.length })
    return saved
  } catch (error) {
    // A claim that cannot be released expires by itself, so only the error of the renewal is thrown.
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

/** The values to store for a new token; it keeps the person's earlier login if the answer has none. */
export function tokenFrom(
  { accessToken, expiresInSeconds, scope, refreshToken, apiUrl }: GrantedToken,
  askedAtMs: number,
  before?: UserGrant,
): Omit<StoredToken, 'version' | 'needsReauth'> {
  const token = {
    accessToken,
    expiresAtMs: askedAtMs + expiresInSeconds * 1000,
    scope,
    ...(apiUrl === undefined ? {} : { apiUrl }),
  }
  if (refreshToken === undefined) return before === undefined ? token : { ...token, grant: before }
  const previous = before === undefined ? {} : { previousRefreshToken: before.refreshToken }
  const grant = { refreshToken, ...previous, endsAtMs: askedAtMs + REFRESH_LIFETIME_MS }
  return { ...token, grant }
}

function bearer({ accessToken, version, scope, apiUrl }: StoredToken): BearerToken {
  const told = apiUrl === undefined ? {} : { apiUrl }
  return { value: accessToken, version, scopes: scope, ...told }
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) return abort()
    promise.then(resolve, reject).finally(whenAborted(signal, abort))
  })
}

const REFRESH_LIFETIME_MS = 90 * DAY_MS
/** A token is renewed this long before it expires. */
const EARLY_MS = 60_000
const CLAIM_MS = 30_000
const PATIENCE_MS = 120_000
const POLL_MS = 250
