import { SandboxRefusal } from '../protocol/refusal.ts'
import type { Credentials } from '../seed-data/options.ts'
import type { Devices } from './device-codes.ts'
import type { Login, Logins } from './logins.ts'

export interface Granting {
  app: Credentials
  scopes: readonly string[]
  /** Undefined if no person was involved. */
  login: Login | undefined
}

export interface TokenRequest {
  authorization: string
  parameters: URLSearchParams
  /** Parameters from the address. */
  query: URLSearchParams
}

export interface Grants {
  apps: readonly Credentials[]
  logins: Logins
  devices: Devices
}

/** Checks a request at the token endpoint by its grant type. */
export function judgeGrant(
  { apps, logins, devices }: Grants,
  { authorization, parameters }: TokenRequest,
): Granting {
  const grant = parameters.get('grant_type')
  if (grant === null)
    throw new SandboxRefusal(400, { reason: 'missing grant type', error: 'invalid_request' })
  const app =
    authorization === '' ? publicApp(apps, parameters) : confidentialApp(apps, authorization)
  const required = (name: string): string => {
    const value = parameters.get(name)
    // This refusal has no reason.
    if (value === null || value === '') throw new SandboxRefusal(400, { error: 'invalid_request' })
    return value
  }
  const ofUser = (login: Login): Granting => ({ app, scopes: app.scopes, login })
  if (authorization === '' && grant !== 'authorization_code' && grant !== 'refresh_token')
    throw new SandboxRefusal(400, {
      reason: 'Invalid client_id or client_secret',
      error: 'invalid_client',
    })
  switch (grant) {
    case 'account_credentials':
      if (required('account_id') !== app.accountId)
        throw new SandboxRefusal(400, { reason: 'Bad Request', error: 'invalid_grant' })
      return { app, scopes: app.scopes, login: undefined }
    case 'client_credentials':
      return { app, scopes: ['imchat:bot'], login: undefined }
    case 'authorization_code':
      return ofUser(
        logins.takeCode(required('code'), {
          clientId: authorization === '' ? app.publicClientId : app.clientId,
          redirectUri: required('redirect_uri'),
          verifier: parameters.get('code_verifier') ?? '',
        }),
      )
    case 'refresh_token':
      return ofUser(logins.takeRefresh(required('refresh_token'), [app.clientId]))
    case 'urn:ietf:params:oauth:grant-type:device_code':
      return ofUser(devices.takeDevice(required('device_code'), app))
    default:
      throw new SandboxRefusal(400, {
        reason: 'unsupported grant type',
        error: 'unsupported_grant_type',
      })
  }
}

/** Returns the app whose ID and secret a Basic header contains. Refuses any other header. */
export function confidentialApp(apps: readonly Credentials[], authorization: string): Credentials {
  const encoded = /^Basic (\S+)$/i.exec(authorization)?.[1] ?? ''
  const given = Buffer.from(encoded, 'base64').toString()
  const app = apps.find((a) => `${a.clientId}:${a.clientSecret}` === given)
  if (app !== undefined) return app
  throw new SandboxRefusal(400, {
    reason: 'Invalid client_id or client_secret',
    error: 'invalid_client',
  })
}

/** Returns the app of a public client, which sends only its ID. */
function publicApp(apps: readonly Credentials[], parameters: URLSearchParams): Credentials {
  const id = parameters.get('client_id')
  const app = apps.find(({ publicClientId }) => publicClientId === id)
  if (app !== undefined) return app
  throw new SandboxRefusal(400, {
    reason: 'Invalid client_id or client_secret',
    error: 'invalid_client',
  })
}
