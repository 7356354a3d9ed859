import type { AppKind } from '../../core/define/app-kind.ts'
import type { Observer } from '../../core/define/observer.ts'
import type { TokenStore } from '../../core/define/ports.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Authorities } from '../call/authorize.ts'
import type { ExchangeLimits } from '../call/exchange.ts'
import { type OpenPool, openPool } from '../call/pools.ts'
import { createAccountToken } from './account-token.ts'
import { renewalOf } from './renewal.ts'
import { createSessionJwt } from './session-jwt.ts'
import { type AppCredentials, createTokenEndpoint, type TokenEndpoint } from './token-endpoint.ts'

export interface AuthoritiesOptions {
  credentials: AppCredentials
  app: AppKind
  /** Only for server-to-server apps. */
  accountId: string | null
  /** The command that errors tell a person to run if only a login helps. */
  loginWith: string
  /** The key and secret of the video-session app; if undefined, those calls use the account token. */
  sessionJwt: { apiKey: string; apiSecret: string } | undefined
  store: TokenStore
  clock: Clock
  observer: Observer
  limits?: Partial<ExchangeLimits>
  openPool?: OpenPool
}

/** The bearers of one account, and the connections to its authorization server. */
export function openAuthorities(options: AuthoritiesOptions): Authorities & {
  endpoint: TokenEndpoint
  close(): Promise<void>
} {
  const { credentials, sessionJwt, store, clock, observer, app, accountId, loginWith } = options
  const limits = { ...TOKEN_LIMITS, ...options.limits }
  const open = options.openPool ?? openPool
  const pool = open(credentials.authUrl, { connectTimeoutMs: 10_000, connections: 2 })
  const endpoint = createTokenEndpoint(credentials, { pool, clock }, limits)
  const request = renewalOf({ app, accountId, endpoint, clock, loginWith })
  return {
    endpoint,
    oauth: createAccountToken({ store, clock, observer, request, loginWith }),
    ...(sessionJwt === undefined ? {} : { jwt: createSessionJwt({ ...sessionJwt, clock }) }),
    close: () => pool.destroy(),
  }
}

/** The total is shorter than the claim on a renewal, so that the claim outlasts the request. */
export const TOKEN_LIMITS: ExchangeLimits = {
  headersTimeoutMs: 20_000,
  totalTimeoutMs: 25_000,
  maxBodyBytes: 2 ** 20,
}
