import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi'
import { AuthenticationError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import {
  type AppCredentials,
  authorizationEndpoint,
  type GrantedToken,
  type TokenEndpoint,
} from './token-endpoint.ts'

/** One attempt to authorize the app: the address to open, and the values that the answer must match. */
export interface Authorization {
  url: string
  clientId: string
  /** 256 random bits that the answer must repeat. Valid for one answer. */
  state: string
  redirectUrl: string
  /** Only for public clients. The challenge made from it is always S256. */
  codeVerifier: string | undefined
}

export async function beginAuthorization(
  credentials: AppCredentials,
  redirectUrl: string,
): Promise<Authorization> {
  const { clientId, clientSecret } = credentials
  const state = generateRandomState()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUrl,
    state,
  })
  // The documents describe a challenge only for public clients.
  const codeVerifier = clientSecret === null ? generateRandomCodeVerifier() : undefined
  if (codeVerifier !== undefined) {
    query.set('code_challenge', await calculatePKCECodeChallenge(codeVerifier))
    query.set('code_challenge_method', 'S256')
  }
  const url = `${authorizationEndpoint(credentials)}?${query.toString()}`
  return { url, clientId, state, redirectUrl, codeVerifier }
}

/**
 * Returns the code in the address to which the browser returned. Throws an AuthenticationError if there is no
 * code for this attempt, or the person refused the app. Of the address, it quotes at most the error word.
 */
export function codeFrom(address: URL, { clientId, state, redirectUrl }: Authorization): string {
  const due = new URL(redirectUrl)
  if (address.origin !== due.origin || address.pathname !== due.pathname)
    throw foreignAnswer('the address is not redirectUrl')
  const { searchParams } = address
  const refusal = searchParams.get('error')
  try {
    const server = { issuer: due.origin }
    const answer = validateAuthResponse(server, { client_id: clientId }, searchParams, state)
    const code = answer.get('code')
    if (code !== null && code !== '') return code
  } catch {
    if (refusal !== null && searchParams.get('state') === state)
      throw noCode(
        /^[a-z_]{1,40}$/.test(refusal)
          ? `the service answered ${refusal}`
          : 'the service refused the login',
      )
    throw foreignAnswer('the answer belongs to another login')
  }
  throw foreignAnswer('the answer contains no code')
}

/** Exchanges a code, which works once, for the first token. */
export async function exchangeCode(
  endpoint: Pick<TokenEndpoint, 'grant'>,
  { redirectUrl, codeVerifier }: Authorization,
  code: string,
): Promise<GrantedToken> {
  await point('login:exchanging')
  const granted = await endpoint.grant('authorization_code', {
    code,
    redirect_uri: redirectUrl,
    ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
  })
  await point('login:granted')
  return granted
}

/** Anybody may have sent this address, so the caller still waits for the real answer. */
const foreignAnswer = (came: string) => noCode(came, 'foreign_answer')

function noCode(came: string, code = 'not_authorized'): AuthenticationError {
  return new AuthenticationError(code, {
    tried: 'Reading the address that the browser returned to',
    came,
    todo: 'log in again and allow the app',
  })
}
