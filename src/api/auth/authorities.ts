import type { Clock } from '../../core/clock.ts'
import type { Observer } from '../../core/observer.ts'
import type { TokenStore } from '../../core/ports.ts'
import type { Authorities } from '../authorize.ts'
import type { ExchangeLimits } from '../exchange.ts'
import { openPool, type OpenPool } from '../origin-pool.ts'
import { createAccountToken } from './account-token.ts'
import { type AppCredentials, requestToken } from './request-token.ts'
import { createSessionJwt } from './session-jwt.ts'

export interface AuthoritiesOptions {
  credentials: AppCredentials
  /** The key and secret of the video-session app; undefined sends those calls with the account token. */
  sessionJwt: { apiKey: string; apiSecret: string } | undefined
  store: TokenStore
  clock: Clock
  observer: Observer
  limits?: Partial<ExchangeLimits>
  openPool?: OpenPool
}

/** The bearers of one account, and the connections to its authorization server. */
export function openAuthorities(options: AuthoritiesOptions): Authorities & {
  close(): Promise<void>
} {
  const { credentials, sessionJwt, store, clock, observer } = options
  const limits = { ...TOKEN_LIMITS, ...options.limits }
  const open = options.openPool ?? openPool
  const pool = open(credentials.authUrl, { connectTimeoutMs: 10_000, connections: 2 })
  const request = () => requestToken(credentials, { pool, clock }, limits)
  return {
    oauth: createAccountToken({ store, clock, observer, request }),
    ...(sessionJwt === undefined ? {} : { jwt: createSessionJwt({ ...sessionJwt, clock }) }),
    close: () => pool.destroy(),
  }
}

/** Shorter than the claim on a renewal lasts, so that a claim never ends while its request is under way. */
const TOKEN_LIMITS: ExchangeLimits = {
  headersTimeoutMs: 20_000,
  totalTimeoutMs: 25_000,
  maxBodyBytes: 2 ** 20,
}
