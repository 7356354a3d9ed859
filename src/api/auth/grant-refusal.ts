import { AuthenticationError, TransportError } from '../../core/errors.ts'
import { UNREADABLE } from '../answers/retry.ts'
import { DEVICE_GRANT, type Grant } from './grant.ts'

/** Returns the error of a refused token request. Its code is the server's own error word. */
export function refusedGrant(
  { tried, grant }: { tried: string; grant: Grant },
  status: number,
  body: string,
): Error {
  if (isPassing(status)) return passing(tried, status)
  const error = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(body)?.[1]
  const known =
    error === undefined ? undefined : ((OF_A_GRANT[grant] ?? {})[error] ?? OF_ALL[error])
  return new AuthenticationError(error ?? 'token_refused', {
    tried,
    expected: 'a token',
    came: [`HTTP ${status}`, error, known?.came].filter((part) => part !== undefined).join(', '),
    todo: known?.todo ?? 'check the settings of the account, and that the app is active',
  })
}

/** The error of a refused device code or revocation; the documents list no error words for these. */
export function refusedRequest(tried: string, status: number, besides: string): Error {
  if (isPassing(status)) return passing(tried, status)
  return new AuthenticationError('request_refused', {
    tried,
    expected: 'HTTP 200',
    came: `HTTP ${status}`,
    todo: `check clientId and clientSecret against the app's page, and ${besides}`,
  })
}

export function unreadable(tried: string, expected: string): TransportError {
  return new TransportError(UNREADABLE, true, {
    tried,
    expected,
    came: 'an answer that holds none',
    todo: 'check that authUrl is the address of the authorization server',
  })
}

function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408 || status === 425
}

function passing(tried: string, status: number): TransportError {
  return new TransportError('token_server', true, {
    tried,
    expected: 'HTTP 200',
    came: `HTTP ${status}`,
    todo: 'run again later: the authorization server is busy or down',
  })
}

interface Meaning {
  came: string
  todo: string
}

const OF_ALL: Readonly<Record<string, Meaning>> = {
  invalid_client: {
    came: 'the client ID or the client secret is wrong',
    todo: "check clientId and clientSecret against the app's page; a new secret ends the old one",
  },
  unsupported_grant_type: {
    came: 'the app is not of this kind',
    todo: 'make an app of that kind, or activate it, and use its credentials',
  },
  invalid_request: {
    came: 'something is missing in the request',
    todo: 'check that accountId, clientId and clientSecret are all set',
  },
}

const OF_A_GRANT: Partial<Record<Grant, Readonly<Record<string, Meaning>>>> = {
  account_credentials: {
    invalid_grant: {
      came: 'the account does not belong to this app',
      todo: "check accountId against the app's page, and that the app is active",
    },
    unsupported_grant_type: {
      came: 'the app is not of the server-to-server kind',
      todo: 'make an app of that kind, or activate it, and use its credentials',
    },
  },
  authorization_code: {
    invalid_grant: {
      came: 'the code is used up, too old, or belongs to another redirect URL',
      todo: 'log in again; check that redirectUrl is the one that is registered on the app',
    },
  },
  refresh_token: {
    invalid_grant: { came: 'the login is no longer good', todo: 'log in again' },
  },
  [DEVICE_GRANT]: {
    access_denied: { came: 'the app was not allowed', todo: 'log in again, and allow it' },
    expired_token: { came: 'the code was not entered in time', todo: 'log in again' },
    invalid_grant: { came: 'the code is not known', todo: 'log in again' },
  },
}
