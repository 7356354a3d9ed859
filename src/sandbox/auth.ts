import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Operation } from '../core/operation.ts'
import type { Answering } from './call.ts'
import type { Credentials, Habits } from './options.ts'
import { hash } from './random.ts'
import { Refusal, refuse } from './refusal.ts'
import type { Stats } from './stats.ts'

export interface Door {
  /** Answers POST {auth}/oauth/token. */
  issueToken(request: {
    authorization: string
    parameters: URLSearchParams
  }): Record<string, unknown>
  /** Who holds this bearer; throws a Refusal when nobody does. */
  enter(operation: Operation, authorization: string): Credentials
  /** Throws unless the app's scopes allow the call. */
  checkScopes(answering: Answering, holder: Credentials): void
}

interface Issued {
  token: string
  expiresMs: number
}

/** Each app has one live token: a new one makes the one before it invalid. */
export function makeDoor(options: {
  apps: readonly Credentials[]
  seed: number
  habits: Habits
  stats: Stats
  apiUrl: string
  now(): number
}): Door {
  const { apps, seed, habits, stats, now } = options
  const live = new Map<string, Issued>()
  let issued = 0
  const invalid = (): Refusal => {
    stats.unauthorized++
    return habits.invalidToken === '401'
      ? refuse(401, 124, 'Invalid access token.')
      : refuse(400, 124, 'Invalid access token.')
  }
  return {
    issueToken({ authorization, parameters }) {
      const app = appOf(apps, authorization)
      checkGrant(parameters, app)
      const lifetimeSeconds = issued % 2 === 0 ? 3600 : 3599
      const words = [1, 2, 3, 4].map((n) => hash(seed + n, 0x70c3, issued).toString(36))
      const token = `sbx.${words.join('')}.${String(++issued)}`
      live.set(app.clientId, { token, expiresMs: now() + lifetimeSeconds * 1000 })
      stats.tokenRenewals++
      return {
        access_token: token,
        token_type: 'bearer',
        expires_in: lifetimeSeconds,
        scope: app.scopes.join(' '),
        api_url: options.apiUrl,
      }
    },
    enter(operation, authorization) {
      const bearer = /^Bearer (\S+)$/i.exec(authorization)?.[1]
      if (bearer === undefined) throw invalid()
      const holder =
        operation.bearer === 'jwt'
          ? apps.find((app) => isValidJwt(bearer, app, now()))
          : apps.find((app) => {
              const own = live.get(app.clientId)
              return own?.token === bearer && now() < own.expiresMs
            })
      if (holder === undefined) throw invalid()
      return holder
    },
    checkScopes(answering, holder) {
      const { scopes, granularScopes } = answering
      if (scopes.length === 0) return
      if ([...scopes, ...granularScopes].some((scope) => holder.scopes.includes(scope))) return
      const missing = scopes.join(', ')
      throw refuse(400, 4711, `Invalid access token, does not contain scopes:[${missing}].`)
    },
  }
}

function appOf(apps: readonly Credentials[], authorization: string): Credentials {
  const encoded = /^Basic (\S+)$/i.exec(authorization)?.[1] ?? ''
  const given = Buffer.from(encoded, 'base64').toString()
  const app = apps.find((a) => `${a.clientId}:${a.clientSecret}` === given)
  if (app !== undefined) return app
  throw new Refusal(400, { reason: 'Invalid client_id or client_secret', error: 'invalid_client' })
}

function checkGrant(parameters: URLSearchParams, app: Credentials): void {
  const grant = parameters.get('grant_type')
  if (grant === null)
    throw new Refusal(400, { reason: 'missing grant type', error: 'invalid_request' })
  if (grant !== 'account_credentials')
    throw new Refusal(400, { reason: 'unsupported grant type', error: 'unsupported_grant_type' })
  const account = parameters.get('account_id')
  if (account === app.accountId) return
  // Some refusals come without a reason.
  if (account === null) throw new Refusal(400, { error: 'invalid_request' })
  throw new Refusal(400, { reason: 'Bad Request', error: 'invalid_grant' })
}

/** HS256 by the app's secret, issued by its key, at most an hour long and not over. */
function isValidJwt(text: string, app: Credentials, nowMs: number): boolean {
  const [header = '', payload = '', signature = '', ...more] = text.split('.')
  const claims = parse(payload)
  if (more.length > 0 || claims?.iss !== app.apiKey || parse(header)?.alg !== 'HS256') return false
  const due = createHmac('sha256', app.apiSecret).update(`${header}.${payload}`).digest()
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== due.length || !timingSafeEqual(given, due)) return false
  const { iat, exp } = claims
  if (typeof iat !== 'number' || typeof exp !== 'number') return false
  const nowSeconds = nowMs / 1000
  return exp > nowSeconds && iat <= nowSeconds + SKEW_SECONDS && exp - iat <= 3600
}

function parse(part: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  } catch {
    return undefined
  }
}

const SKEW_SECONDS = 60
