import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Operation } from '../../src/core/define/operation.ts'
import { hash } from '../base/random.ts'
import type { Answering } from '../protocol/call.ts'
import { refuse, type SandboxRefusal } from '../protocol/refusal.ts'
import type { Stats } from '../protocol/stats.ts'
import type { Readings } from '../readings/readings.ts'
import type { Credentials, Habits } from '../seed-data/options.ts'
import { type Devices, makeDevices } from './device-codes.ts'
import { type Logins, makeLogins } from './logins.ts'
import { confidentialApp, type Granting, judgeGrant, type TokenRequest } from './token-grants.ts'

export interface Authorizer {
  /** The permissions that people gave. */
  logins: Logins
  devices: Devices
  /** Answers POST {auth}/oauth/token. */
  issueToken(request: TokenRequest): Record<string, unknown>
  /** Answers POST {auth}/oauth/revoke. */
  revoke(request: TokenRequest): Record<string, unknown>
  /** Returns the holder of a bearer token; throws a SandboxRefusal for an invalid token. */
  enter(operation: Operation, authorization: string): Credentials
  /** Returns the holder of a token; undefined if the token is not valid for the operation. */
  holderOf(operation: Operation, token: string): Credentials | undefined
  /** Throws unless one of the holder's scopes allows the call. */
  checkScopes(answering: Answering, holder: Credentials): void
}

interface Issued extends Granting {
  expiresMs: number
}

export function makeAuthorizer(options: {
  apps: readonly Credentials[]
  seed: number
  habits: Habits
  readings: Readings
  stats: Stats
  apiUrl: string
  now(): number
}): Authorizer {
  const { apps, seed, habits, readings, stats, now } = options
  const logins = makeLogins({ seed, refreshGraceMs: habits.refreshGraceMs, now })
  const devices = makeDevices({ seed, intervalMs: habits.deviceIntervalMs, now })
  const live = new Map<string, Issued>()
  let issued = 0
  let entered = 0
  const invalid = (): SandboxRefusal => invalidBearer(stats, readings)
  const tokenHolder: Authorizer['holderOf'] = (operation, token) =>
    operation.bearer === 'jwt'
      ? apps.find((app) => isValidJwt(token, app, { nowMs: now(), readings }))
      : holderOf(live.get(token), now())
  return {
    logins,
    devices,
    holderOf: tokenHolder,
    issueToken(request) {
      const granting = judgeGrant({ apps, logins, devices }, request)
      const lifetimeSeconds = issued % 2 === 0 ? 3600 : 3599
      const words = [1, 2, 3, 4].map((n) => hash(seed + n, 0x70c3, issued).toString(36))
      const token = `sbx.${words.join('')}.${String(++issued)}`
      if (readings.previousToken === 'ended') endOthers(live, granting)
      live.set(token, { ...granting, expiresMs: now() + lifetimeSeconds * 1000 })
      stats.tokenRenewals++
      const { login, scopes } = granting
      return {
        access_token: token,
        ...(login === undefined ? {} : { refresh_token: logins.newRefresh(login) }),
        ...lifetime(readings, lifetimeSeconds),
        scope: scopes.join(' '),
        ...toldOfToken(readings, options.apiUrl),
      }
    },
    revoke({ authorization, parameters }) {
      const known = apps.some((app) => app.publicClientId === parameters.get('client_id'))
      if (authorization !== '' || !known) confidentialApp(apps, authorization)
      live.delete(parameters.get('token') ?? '')
      return { status: 'success' }
    },
    enter(operation, authorization) {
      const bearer = /^Bearer (\S+)$/i.exec(authorization)?.[1]
      const holder = bearer === undefined ? undefined : tokenHolder(operation, bearer)
      if (holder === undefined) throw invalid()
      if (operation.bearer !== 'jwt' && diesEarly(readings, ++entered)) {
        live.delete(bearer ?? '')
        throw invalid()
      }
      return holder
    },
    checkScopes,
  }
}

function invalidBearer(stats: Stats, { invalidToken }: Readings): SandboxRefusal {
  stats.unauthorized++
  return refuse(invalidToken === '401' ? 401 : 400, 124, 'Invalid access token.')
}

/** With the reading `early`, one of every thousand calls finds its token expired early. */
function diesEarly({ tokenLife }: Readings, entered: number): boolean {
  return tokenLife === 'early' && entered % 1_000 === 120
}

function checkScopes({ scopes, granularScopes }: Answering, holder: Credentials): void {
  if (scopes.length === 0) return
  if ([...scopes, ...granularScopes].some((scope) => holder.scopes.includes(scope))) return
  const missing = scopes.join(', ')
  throw refuse(400, 4711, `Invalid access token, does not contain scopes:[${missing}].`)
}

function toldOfToken({ tokenType, apiUrl }: Readings, url: string): Record<string, string> {
  const type = tokenType === 'told' ? { token_type: 'bearer' } : {}
  return { ...type, api_url: API_URLS[apiUrl](url) }
}

function lifetime({ expiresIn }: Readings, seconds: number): { expires_in?: number | string } {
  if (expiresIn === 'absent') return {}
  return { expires_in: expiresIn === 'text' ? String(seconds) : seconds }
}

/** A server-to-server app has one live token: a new token ends the earlier ones. */
function endOthers(live: Map<string, Issued>, { app, login }: Granting): void {
  if (login !== undefined) return
  for (const [token, other] of live)
    if (other.app === app && other.login === undefined) live.delete(token)
}

/** Returns the app with the token's scopes; undefined if the token is unknown, expired or revoked. */
function holderOf(issued: Issued | undefined, nowMs: number): Credentials | undefined {
  if (issued === undefined || nowMs >= issued.expiresMs || issued.login?.ended === true)
    return undefined
  return { ...issued.app, scopes: issued.scopes }
}

/** Checks a JWT: signature (HS256 with the app's secret), issuer, user identity, and time of validity. */
function isValidJwt(
  text: string,
  app: Credentials,
  { nowMs, readings }: { nowMs: number; readings: Readings },
): boolean {
  const [header = '', payload = '', signature = '', ...more] = text.split('.')
  const claims = parse(payload)
  if (more.length > 0 || claims?.iss !== app.apiKey || parse(header)?.alg !== 'HS256') return false
  const due = createHmac('sha256', app.apiSecret).update(`${header}.${payload}`).digest()
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== due.length || !timingSafeEqual(given, due)) return false
  const { iat, exp, user_identity: identity = 'none' } = claims
  if (typeof identity !== 'string' || !/^[A-Za-z0-9]{1,36}$/.test(identity)) return false
  if (typeof iat !== 'number' || typeof exp !== 'number') return false
  const nowSeconds = nowMs / 1000
  const tooLong = readings.jwtLifetime === 'refused' && exp - iat > 3600
  return exp > nowSeconds && iat <= nowSeconds + SKEW_SECONDS && !tooLong
}

function parse(part: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  } catch {
    return undefined
  }
}

const API_URLS = {
  origin: (origin: string) => origin,
  versioned: (origin: string) => `${origin}/v2`,
  elsewhere: () => 'https://api.elsewhere.example/v2',
  moved: (origin: string) => origin,
}
const SKEW_SECONDS = 60
