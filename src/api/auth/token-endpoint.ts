import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  customFetch,
  deviceAuthorizationRequest,
  genericTokenEndpointRequest,
  None,
  processDeviceAuthorizationResponse,
  processGenericTokenEndpointResponse,
  revocationRequest,
} from 'oauth4webapi'
import { AuthenticationError, CallsheetError } from '../../core/errors.ts'
import { proxyFault } from '../answers/proxy-fault.ts'
import { redirected } from '../answers/redirected.ts'
import { type Connection, type ExchangeLimits, exchange } from '../call/exchange.ts'
import { DEVICE_GRANT, type Grant } from './grant.ts'
import { refusedGrant, refusedRequest, unreadable } from './grant-refusal.ts'

export interface AppCredentials {
  /** The root of the authorization server, which serves the `/oauth/...` paths. */
  authUrl: string
  clientId: string
  /** Null for a public client. */
  clientSecret: string | null
}

export interface GrantedToken {
  accessToken: string
  expiresInSeconds: number
  scope: readonly string[]
  /** Only for apps that a person authorized. A refresh token works once. */
  refreshToken?: string
  /** The API's address, not checked yet. */
  apiUrl?: string
}

export interface DeviceCode {
  deviceCode: string
  userCode: string
  verificationUri: string
  /** `verificationUri` with the code filled in. */
  verificationUriComplete: string | undefined
  expiresInSeconds: number
  intervalSeconds: number
}

/** The requests to the authorization server. An error contains no secret and no message of the server. */
export interface TokenEndpoint {
  /**
   * Requests a token. A refusal is an AuthenticationError whose code is the server's error word, if it sends
   * one. `spentMs` is the part of the allowed time that is already used.
   */
  grant(
    grant: Grant,
    parameters?: Readonly<Record<string, string>>,
    spentMs?: number,
  ): Promise<GrantedToken>
  deviceCode(): Promise<DeviceCode>
  revoke(accessToken: string): Promise<void>
}

export function createTokenEndpoint(
  credentials: AppCredentials,
  connection: Connection,
  limits: ExchangeLimits,
): TokenEndpoint {
  const { clientId } = credentials
  const server = serverAt(credentials)
  const client: Client = { client_id: clientId }
  const auth = clientAuth(credentials)
  const options = (tried: string, spentMs = 0) => ({
    [customFetch]: fetchOver(connection, lessOf(limits, spentMs), tried),
    // Plain HTTP is allowed here because the settings already refuse it except for loopback addresses.
    [allowInsecureRequests]: true as const,
  })
  return {
    async grant(grant, parameters = {}, spentMs = 0) {
      const tried = `Requesting a token from the authorization server (${nameOf(grant)})`
      return await reading(tried, async () => {
        const form = { ...parameters }
        const asked = options(tried, spentMs)
        const response = await genericTokenEndpointRequest(server, client, auth, grant, form, asked)
        if (response.status !== 200)
          throw refusedGrant({ tried, grant }, response.status, await response.text())
        return granted(await processGenericTokenEndpointResponse(server, client, response))
      })
    },
    async deviceCode() {
      const tried = 'Requesting a device code from the authorization server'
      return await reading(tried, async () => {
        const response = await deviceAuthorizationRequest(server, client, auth, {}, options(tried))
        if (response.status !== 200)
          throw refusedRequest(tried, response.status, 'that device login is turned on for the app')
        const code = await processDeviceAuthorizationResponse(server, client, response)
        return {
          deviceCode: code.device_code,
          userCode: code.user_code,
          verificationUri: code.verification_uri,
          verificationUriComplete: code.verification_uri_complete,
          expiresInSeconds: code.expires_in,
          intervalSeconds: code.interval ?? USUAL_INTERVAL_S,
        }
      })
    },
    async revoke(accessToken) {
      const tried = 'Revoking the token'
      await reading(tried, async () => {
        const response = await revocationRequest(server, client, auth, accessToken, options(tried))
        const text = await response.text()
        if (response.status !== 200)
          throw refusedRequest(tried, response.status, "the app's permissions")
        if (!/"status"\s*:\s*"success"/.test(text))
          throw unreadable(tried, 'the answer does not confirm it ("status": "success")')
      })
    },
  }
}

/** The address at which a person authorizes the app. */
export function authorizationEndpoint({ authUrl }: Pick<AppCredentials, 'authUrl'>): string {
  return `${rootOf(authUrl)}/oauth/authorize`
}

function serverAt({ authUrl, clientId }: AppCredentials): AuthorizationServer {
  const root = rootOf(authUrl)
  // The documents require the client ID in the query here.
  const device = new URLSearchParams({ client_id: clientId }).toString()
  return {
    issuer: root,
    token_endpoint: `${root}/oauth/token`,
    device_authorization_endpoint: `${root}/oauth/devicecode?${device}`,
    revocation_endpoint: `${root}/oauth/revoke`,
  }
}

function rootOf(authUrl: string): string {
  return authUrl.replace(/\/+$/, '')
}

/** The service expects the plain Base64 of `id:secret`; the library's Basic form-encodes both parts first. */
function clientAuth({ clientId, clientSecret }: AppCredentials): ClientAuth {
  if (clientSecret === null) return None()
  const value = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  return (...[, , , headers]) => headers.set('authorization', `Basic ${value}`)
}

/** The library calls this in place of `fetch`; it applies our limits and follows no redirect. */
function fetchOver(connection: Connection, limits: ExchangeLimits, tried: string) {
  return async (url: string, init: { headers: Record<string, string>; body?: unknown }) => {
    const { pathname, search } = new URL(url)
    const root = pathname.slice(0, pathname.lastIndexOf('/oauth/'))
    const answer = await exchange(
      connection,
      {
        tried,
        method: 'POST',
        path: `${pathname}${search}`,
        headers: { ...init.headers, 'accept-encoding': 'identity' },
        body: String(init.body),
      },
      limits,
    )
    if (answer.status >= 300 && answer.status < 400)
      throw new AuthenticationError(
        'redirected',
        redirected({ tried, url: new URL(url), setting: 'authUrl', root }, answer),
      )
    const word = proxyFault(tried, answer, connection.clock.now())
    if (word !== undefined) throw word
    const type = answer.headers['content-type']
    const text = answer.body.toString()
    return new Response(NO_BODY.has(answer.status) ? null : typed(text), {
      status: answer.status,
      headers: { 'content-type': typeof type === 'string' ? type : 'application/json' },
    })
  }
}

/** Completes an answer for the library: adds the token type, drops empty fields, joins scopes. */
function typed(text: string): string {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return text
  }
  if (typeof body !== 'object' || body === null || !('access_token' in body)) return text
  const given = Object.entries(body).filter(([, value]) => value !== null && value !== '')
  const { scope, ...rest } = Object.fromEntries(given) as Record<string, unknown>
  const scopes = Array.isArray(scope) ? scope.join(' ') : scope
  return JSON.stringify({
    token_type: 'bearer',
    ...rest,
    ...(scopes === undefined ? {} : { scope: scopes }),
  })
}

function lessOf(limits: ExchangeLimits, spentMs: number): ExchangeLimits {
  return { ...limits, totalTimeoutMs: Math.max(1, limits.totalTimeoutMs - spentMs) }
}

async function reading<T>(tried: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof CallsheetError
      ? error
      : unreadable(tried, 'the answer is not the requested JSON')
  }
}

function granted(response: {
  access_token: string
  expires_in?: number
  scope?: string
  refresh_token?: string
  api_url?: unknown
}): GrantedToken {
  const { refresh_token: refreshToken, api_url: apiUrl } = response
  return {
    accessToken: response.access_token,
    expiresInSeconds: clamp(response.expires_in ?? DEFAULT_LIFETIME_S),
    scope: (response.scope ?? '').split(/\s+/).filter((scope) => scope !== ''),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(typeof apiUrl === 'string' && apiUrl !== ''
      ? { apiUrl: apiUrl.slice(0, LONGEST_URL) }
      : {}),
  }
}

/** At least two minutes, because a shorter lifetime would cause endless renewals, and at most an hour. */
function clamp(seconds: number): number {
  return Math.min(DEFAULT_LIFETIME_S, Math.max(LEAST_LIFETIME_S, seconds))
}

function nameOf(grant: Grant): string {
  return grant === DEVICE_GRANT ? 'device_code' : grant
}

const DEFAULT_LIFETIME_S = 3_600
/** Twice the time before expiry at which a token is renewed. */
const LEAST_LIFETIME_S = 120
const USUAL_INTERVAL_S = 5
const LONGEST_URL = 2_000
const NO_BODY = new Set([101, 204, 205, 304])
