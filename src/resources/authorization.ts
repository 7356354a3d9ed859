/**
 * A call to the authorization server, whose paths are under its own root. It has no rate label, and its
 * parameters go into the query or a form.
 */
export interface AuthorizationCall {
  id: string
  summary: string
  method: 'GET' | 'POST'
  path: string
  /** How the app authenticates; with `browser`, the user does. */
  credentials: 'basic' | 'client-id' | 'browser'
  parameters: readonly string[]
  grantType?: string
}

const token = { method: 'POST', path: '/oauth/token' } as const
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** All calls of the authorization server; its token endpoint appears once per flow. */
export const authorizationCalls: readonly AuthorizationCall[] = [
  {
    ...token,
    id: 'oauth.token.account_credentials',
    summary: 'A token of a server-to-server app',
    credentials: 'basic',
    parameters: ['account_id'],
    grantType: 'account_credentials',
  },
  {
    ...token,
    id: 'oauth.token.authorization_code',
    summary: 'A token for the code that a browser brought',
    credentials: 'basic',
    parameters: ['code', 'redirect_uri', 'state'],
    grantType: 'authorization_code',
  },
  {
    ...token,
    id: 'oauth.token.public_client',
    summary: 'A token for the code that a browser brought to an app without a secret',
    credentials: 'client-id',
    parameters: ['code', 'client_id', 'redirect_uri', 'code_verifier'],
    grantType: 'authorization_code',
  },
  {
    ...token,
    id: 'oauth.token.device',
    summary: 'A token for a device that its user has allowed',
    credentials: 'basic',
    parameters: ['device_code'],
    grantType: DEVICE_GRANT,
  },
  {
    ...token,
    id: 'oauth.token.client_credentials',
    summary: 'A token of a chatbot',
    credentials: 'basic',
    parameters: [],
    grantType: 'client_credentials',
  },
  {
    ...token,
    id: 'oauth.token.refresh',
    summary: 'A new token for the newest refresh token',
    credentials: 'basic',
    parameters: ['refresh_token'],
    grantType: 'refresh_token',
  },
  {
    id: 'oauth.authorize',
    summary: 'The page on which a user allows the app',
    method: 'GET',
    path: '/oauth/authorize',
    credentials: 'browser',
    parameters: [
      'response_type',
      'client_id',
      'redirect_uri',
      'code_challenge',
      'code_challenge_method',
    ],
  },
  {
    id: 'oauth.devicecode',
    summary: 'A code that a user enters to allow a device',
    method: 'POST',
    path: '/oauth/devicecode',
    credentials: 'basic',
    parameters: ['client_id'],
  },
  {
    id: 'oauth.revoke',
    summary: 'Make a token worthless',
    method: 'POST',
    path: '/oauth/revoke',
    credentials: 'basic',
    parameters: ['token'],
  },
]
