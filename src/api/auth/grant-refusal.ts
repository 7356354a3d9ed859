import { AuthenticationError, TransportError } from '../../core/errors.ts'
import { UNREADABLE } from '../answers/retry.ts'
import { DEVICE_GRANT, type Grant } from './grant.ts'

/** The error of a refused token request, by the server's error word; retryable if the fault may pass. */
export function refusedGrant(
  { tried, grant }: { tried: string; grant: Grant },
  status: number,
  body: string,
): Error {
  if (isPassing(status)) return serverUnavailable(tried, status)
  const error = /"error"\s*:\s*"([a-z_]{1,40})"/.exec(body)?.[1]
  const known =
    error === undefined ? undefined : ((OF_A_GRANT[grant] ?? {})[error] ?? OF_ALL[error])
  return new AuthenticationError(error ?? 'token_refused', {
    tried,
    came: [`HTTP ${status}`, error, known?.came].filter((part) => part !== undefined).join(', '),
    todo: known?.todo ?? "check the account's settings, and that the app is active",
  })
}

/** The error of a refused device code or revocation; the documents list no error words for these. */
export function refusedRequest(tried: string, status: number, besides: string): Error {
  if (isPassing(status)) return serverUnavailable(tried, status)
  return new AuthenticationError('request_refused', {
    tried,
    came: `the authorization server answered HTTP ${status}`,
    todo: `compare clientId and clientSecret with the app's page, and check ${besides}`,
  })
}

export function unreadable(tried: string, came: string): TransportError {
  return new TransportError(UNREADABLE, true, {
    tried,
    came,
    todo: 'check that authUrl is the address of the authorization server',
  })
}

function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408 || status === 425
}

function serverUnavailable(tried: string, status: number): TransportError {
  return new TransportError('token_server', true, {
    tried,
    came: `the authorization server is busy or unavailable (HTTP ${status})`,
    todo: 'run again later',
  })
}

interface Meaning {
  came: string
  todo: string
}

const OF_ALL: Readonly<Record<string, Meaning>> = {
  invalid_client: {
    came: 'the client ID or the client secret is wrong',
    todo:
      "compare clientId and clientSecret with the app's page; after a new secret was created there, the " +
      'old one no longer works',
  },
  unsupported_grant_type: {
    came: 'the app is not of the kind that accounts[].app names',
    todo: 'set accounts[].app to the kind of the app, or create an app of that kind and use its credentials',
  },
  invalid_request: {
    came: 'the request lacks a value',
    todo: 'check that accountId, clientId and clientSecret are all set',
  },
}

const OF_A_GRANT: Partial<Record<Grant, Readonly<Record<string, Meaning>>>> = {
  account_credentials: {
    invalid_grant: {
      came: 'the account does not belong to this app',
      todo: "compare accountId with the app's page, and check that the app is active",
    },
    unsupported_grant_type: {
      came: 'the app is not a server-to-server app',
      todo: 'create a server-to-server app, activate it and use its credentials',
    },
  },
  authorization_code: {
    invalid_grant: {
      came: 'the code was already used, has expired, or belongs to another redirect URL',
      todo: "log in again; check that redirectUrl is registered on the app's page",
    },
  },
  refresh_token: {
    invalid_grant: { came: 'the login is no longer valid', todo: 'log in again' },
  },
  [DEVICE_GRANT]: {
    access_denied: {
      came: 'the user did not allow the app',
      todo: 'log in again and allow the app',
    },
    expired_token: { came: 'nobody approved the code in time', todo: 'log in again' },
    invalid_grant: { came: 'the service does not know the code', todo: 'log in again' },
  },
}
