import { openPools } from '../../account/open-pools.ts'
import { EmptyAnswerError, readPage } from '../../api/answers/payload.ts'
import { TOKEN_LIMITS } from '../../api/auth/authorities.ts'
import { createSessionJwt } from '../../api/auth/session-jwt.ts'
import { createTokenEndpoint } from '../../api/auth/token-endpoint.ts'
import { createStanding } from '../../api/call/authorize.ts'
import { createApiPlaces } from '../../api/call/request-address.ts'
import { send } from '../../api/call/send.ts'
import { AuthenticationError, ServiceError, TransportError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { listRecordings } from '../../resources/recordings.ts'
import { connect } from '../../warehouse/connect.ts'
import { SET_ADDRESS } from '../doctor/examine-account.ts'
import { examineServer } from '../doctor/examine-database.ts'
import { type Finding, failure } from '../doctor/findings.ts'
import { APP, type Checked, type Checks } from './ask-setup.ts'

/** Returns checks like those of `doctor`: each credential by one call, the database by connecting. */
export function liveChecks(clock: Clock): Checks {
  return {
    credentials: ({ accountId, ...credentials }) =>
      checked('token', doubtedInToken, async () => {
        const pool = openPools()(credentials.authUrl, CONNECTION)
        try {
          const endpoint = createTokenEndpoint(credentials, { pool, clock }, TOKEN_LIMITS)
          const { scope } = await endpoint.grant('account_credentials', { account_id: accountId })
          const scopes = scope.length === 0 ? '' : `, with ${scope.length} scopes`
          return [{ check: 'token', state: 'ok', text: `the service granted a token${scopes}` }]
        } finally {
          await pool.destroy()
        }
      }),
    videoKey: ({ baseUrl, ...key }) =>
      checked('video key', doubtedInVideoCall, async () => {
        await callWithKey(baseUrl, createSessionJwt({ ...key, clock }), clock)
        return [{ check: 'video key', state: 'ok', text: 'the service accepts the video key' }]
      }),
    database: ({ databaseUrl: url }) =>
      checked(
        'database',
        () => ['databaseUrl'],
        async () => {
          const warehouse = connect({ url, poolSize: 1, statementTimeoutMs: 10_000 })
          try {
            await warehouse.ping()
            return await examineServer(warehouse)
          } finally {
            await warehouse.close()
          }
        },
      ),
  }
}

async function checked(
  check: string,
  doubtedIn: (error?: unknown) => Checked['doubted'],
  work: () => Promise<Finding[]>,
): Promise<Checked> {
  try {
    return { findings: await work(), doubted: doubtedIn() }
  } catch (error) {
    const todo = isNoSuchPath(error) ? { todo: SET_ADDRESS } : {}
    return { findings: [{ ...todo, ...failure(check, error) }], doubted: doubtedIn(error) }
  }
}

/** Returns the answers that may be wrong if a token request fails; none if the server is at fault. */
export function doubtedInToken(error?: unknown): Checked['doubted'] {
  if (error instanceof TransportError) return error.code === 'token_server' ? [] : ADDRESSES
  const { code = '' } = error instanceof AuthenticationError ? error : {}
  if (code === 'redirected') return ADDRESSES
  if (code === 'invalid_client') return ['clientId', 'clientSecret']
  const isOfApp = ['invalid_grant', 'invalid_request', 'unsupported_grant_type'].includes(code)
  return isOfApp ? APP : [...ADDRESSES, ...APP]
}

/** Returns the answers that may be wrong if a video call fails; none if the service is at fault. */
export function doubtedInVideoCall(error?: unknown): Checked['doubted'] {
  if (error instanceof TransportError) return ['baseUrl']
  if (error instanceof AuthenticationError) return KEY
  if (!(error instanceof ServiceError)) return []
  if (isNoSuchPath(error)) return ['baseUrl']
  return error.status >= 500 ? [] : KEY
}

function isNoSuchPath(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 404
}

/** Lists at most one recording, which needs only a valid key. Throws if the call fails. */
async function callWithKey(
  baseUrl: string,
  jwt: ReturnType<typeof createSessionJwt>,
  clock: Clock,
): Promise<void> {
  const places = createApiPlaces({
    baseUrl,
    followed: undefined,
    open: (address) => openPools()(address, CONNECTION),
  })
  const sending = {
    authorities: { oauth: jwt, jwt },
    // A single call needs no limits on its rate or quota.
    governor: { run: UNGOVERNED },
    clock,
    observer: { event: () => {} },
    limits: TOKEN_LIMITS,
    places,
    standing: createStanding(),
  }
  const args = { path: {}, query: { page_size: 1 } }
  const call = { operation: listRecordings, args, signal: undefined, read: readPage }
  try {
    await send(sending, call)
  } catch (error) {
    // Some services send an empty answer if there is no recording.
    if (!(error instanceof EmptyAnswerError)) throw error
  } finally {
    await places.close()
  }
}

const UNGOVERNED = async <T>(
  _label: unknown,
  _signal: unknown,
  task: (sent: () => void) => Promise<T>,
): Promise<T> => await task(() => {})

const CONNECTION = { connectTimeoutMs: 10_000, connections: 1 }
const ADDRESSES = ['baseUrl', 'authUrl'] as const
const KEY = ['apiKey', 'apiSecret'] as const
