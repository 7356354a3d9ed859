import {
  allowInsecureRequests,
  type ClientAuth,
  customFetch,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
} from 'oauth4webapi'
import { AuthenticationError, CallsheetError, TransportError } from '../../core/errors.ts'
import { type Connection, exchange, type ExchangeLimits } from '../exchange.ts'

export interface AppCredentials {
  /** The root of the authorization server, which serves `/oauth/token`. */
  authUrl: string
  accountId: string
  clientId: string
  clientSecret: string
}

/** The `api_url` that comes with a token is left out: calls go to the configured address alone. */
export interface GrantedToken {
  accessToken: string
  expiresInSeconds: number
  scope: readonly string[]
}

/** One account-credentials request. Neither the secret nor anything the server quotes gets into an error. */
export async function requestToken(
  credentials: AppCredentials,
  connection: Connection,
  limits: ExchangeLimits,
): Promise<GrantedToken> {
  const root = credentials.authUrl.replace(/\/+$/, '')
  const server = { issuer: root, token_endpoint: `${root}/oauth/token` }
  const client = { client_id: credentials.clientId }
  try {
    const response = await genericTokenEndpointRequest(
      server,
      client,
      rawBasic(credentials),
      'account_credentials',
      { account_id: credentials.accountId },
      // Plain HTTP is let through here because the settings already refuse it for all but loopback addresses.
      { [customFetch]: fetchOver(connection, limits), [allowInsecureRequests]: true },
    )
    if (response.status !== 200) throw refusedGrant(response.status, await response.text())
    return granted(await processGenericTokenEndpointResponse(server, client, response))
  } catch (error) {
    throw error instanceof CallsheetError ? error : unreadable()
  }
}

/**
 * The service wants the plain Base64 of `id:secret`; the library's own Basic form-encodes both parts first.
 */
function rawBasic({ clientId, clientSecret }: AppCredentials): ClientAuth {
  const value = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  return (...[, , , headers]) => headers.set('authorization', `Basic ${value}`)
}

/** The library speaks `fetch`; this keeps our own limits, and follows no redirect. */
function fetchOver(connection: Connection, limits: ExchangeLimits) {
  return async (url: string, init: { headers: Record<string, string>; body?: unknown }) => {
    const answer = await exchange(
      connection,
      {
        tried: TRIED,
        method: 'POST',
        path: new URL(url).pathname,
        headers: { ...init.headers, 'accept-encoding': 'identity' },
        body: String(init.body),
      },
      limits,
    )
    const type = answer.headers['content-type']
    return new Response(NO_BODY.has(answer.status) ? null : answer.body.toString(), {
      status: answer.status,
      headers: { 'content-type': typeof type === 'string' ? type : 'application/json' },
    })
  }
}

function granted(response: {
  access_token: string
  expires_in?: number
  scope?: string
}): GrantedToken {
  return {
    accessToken: response.access_token,
    expiresInSeconds: clamp(response.expires_in ?? DEFAULT_LIFETIME_S),
    scope: (response.scope ?? '').split(/\s+/).filter((scope) => scope !== ''),
  }
}

/** A token that ends before it could be used would be renewed for ever; none is trusted for days. */
function clamp(seconds: number): number {
  return Math.min(DEFAULT_LIFETIME_S, Math.max(LEAST_LIFETIME_S, seconds))
}

function refusedGrant(status: number, body: string): Error {
  if (status >= 500 || status === 429 || status === 408) {
    return new TransportError('token_server', true, { tried: TRIED, came: `HTTP ${status}` })
  }
  const error = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(body)?.[1]
  const known = error === undefined ? undefined : GRANT_ERRORS[error]
  return new AuthenticationError(error ?? 'token_refused', {
    tried: TRIED,
    expected: 'a token',
    came: [`HTTP ${status}`, error, known?.came].filter((part) => part !== undefined).join(', '),
    todo:
      known?.todo ?? 'check account_id, client_id and client_secret, and that the app is active',
  })
}

function unreadable(): TransportError {
  return new TransportError('token_server', true, {
    tried: TRIED,
    expected: 'a token as JSON',
    came: 'an answer that holds none',
    todo: 'check that auth_url is the address of the authorization server',
  })
}

const TRIED = 'asking the authorization server for a token (account_credentials)'
const DEFAULT_LIFETIME_S = 3_600
/** Twice the time before its end at which a token is renewed. */
const LEAST_LIFETIME_S = 120
const NO_BODY = new Set([101, 204, 205, 304])
const GRANT_ERRORS: Readonly<Record<string, { came: string; todo: string }>> = {
  invalid_client: {
    came: 'the client ID or the client secret is wrong',
    todo: "check client_id and client_secret against the app's page; a new secret ends the old one",
  },
  invalid_grant: {
    came: 'the account does not belong to this app',
    todo: "check account_id against the app's page, and that the app is active",
  },
  unsupported_grant_type: {
    came: 'the app is not of the server-to-server kind',
    todo: 'make an app of that kind, or activate it, and use its credentials',
  },
  invalid_request: {
    came: 'something is missing in the request',
    todo: 'check that account_id, client_id and client_secret are all set',
  },
}
