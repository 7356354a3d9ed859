import type { AppKind } from '../../core/define/app-kind.ts'
import type { StoredToken } from '../../core/define/ports.ts'
import { AuthenticationError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { GrantedToken, TokenEndpoint } from './token-endpoint.ts'

/** Gets the token that follows the stored one. */
export type Renewal = (stored: StoredToken | undefined) => Promise<GrantedToken>

export interface RenewalOptions {
  app: AppKind
  accountId: string | null
  endpoint: Pick<TokenEndpoint, 'grant'>
  clock: Clock
  /** The command that errors tell a person to run to log in. */
  loginWith: string
}

/** How an app of each kind gets its next token: by a new request, or by refreshing a person's login. */
export function renewalOf(options: RenewalOptions): Renewal {
  const { app, accountId, endpoint } = options
  if (app === 'server-to-server')
    return () => endpoint.grant('account_credentials', { account_id: accountId ?? '' })
  return (stored) => refresh(options, stored)
}

/**
 * Tries the newest refresh token, and if it is refused, the previous one: a process may have died before it
 * stored the answer to a refresh. If both are refused, a person must log in. Both requests together have the
 * time limit of one.
 */
async function refresh(
  { endpoint, clock, loginWith }: RenewalOptions,
  stored: StoredToken | undefined,
): Promise<GrantedToken> {
  const grant = stored?.grant
  if (grant === undefined) throw reauthError('nobody has logged in', loginWith)
  const tokens = [grant.refreshToken, grant.previousRefreshToken]
  const startedMs = clock.elapsed()
  for (const token of tokens) {
    if (token === undefined) continue
    try {
      const spentMs = clock.elapsed() - startedMs
      return await endpoint.grant('refresh_token', { refresh_token: token }, spentMs)
    } catch (error) {
      if (!isRefused(error)) throw error
    }
  }
  throw reauthError('the service no longer accepts the login', loginWith)
}

export function reauthError(reason: string, loginWith: string): AuthenticationError {
  return new AuthenticationError(NEEDS_REAUTH, {
    tried: 'Getting a token for the account',
    came: reason,
    todo: `run ${loginWith}`,
  })
}

/** The code of the error that only a login resolves. */
export const NEEDS_REAUTH = 'needs_reauth'

function isRefused(error: unknown): boolean {
  return error instanceof AuthenticationError && error.code === 'invalid_grant'
}
