import { type Operation, ownViewScopes, tried } from '../../core/define/operation.ts'
import {
  AuthenticationError,
  CallsheetError,
  NotAllowedError,
  ServiceError,
} from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { clockNote } from '../answers/clock-note.ts'
import { narrowScope } from '../answers/refusal.ts'

/** The bearers of an account. Without `jwt`, video-session calls use the account token as well. */
export interface Authorities {
  oauth: Bearer
  jwt?: Bearer
}

/** Results of earlier calls, by which a bad token is distinguished from a forbidden operation. */
export interface Standing {
  /** Operations that succeeded in this process. */
  worked: Set<string>
  /** Operations that were refused with a renewed token while other operations succeeded. */
  denied: Set<string>
  /** Bearers whose token has worked for some operation. */
  proven: Set<Bearer>
  /** By bearer, the last read that worked, which can be sent again as a check. */
  witness: Map<Bearer, Witness>
}

/** Sends a read again with the given token. */
type Witness = (token: BearerToken, signal: AbortSignal | undefined) => Promise<unknown>

export function createStanding(): Standing {
  return { worked: new Set(), denied: new Set(), proven: new Set(), witness: new Map() }
}

interface AuthorizedCall<T> {
  operation: Operation
  attempt(token: BearerToken): Promise<T>
  /**
   * For a request with a page token: sends it without the page token. If that resolves, the bearer works, so
   * the page token was refused.
   */
  probe?: Witness
  /** The error of a refused page token; `what` describes how the refusal was recognized. */
  pageTokenError(what: string): Error
  /** Sends this read again as a later check; undefined for calls that must not be repeated. */
  witness?: Witness
  /** The answer must cover the whole account, not only what the token's user may see. */
  wholeAccount?: boolean
  signal: AbortSignal | undefined
  clock: Pick<Clock, 'now'>
}

/**
 * Sends a call with its bearer. If the bearer is refused, gets a newer token and repeats the call. Several
 * tokens may be refused in a row, because another program's new token ends ours.
 */
export async function authorize<T>(
  authorities: Authorities,
  standing: Standing,
  call: AuthorizedCall<T>,
): Promise<T> {
  const { operation, signal } = call
  const bearer =
    operation.bearer === 'jwt' ? (authorities.jwt ?? authorities.oauth) : authorities.oauth
  let token = await bearer.current(signal)
  if (call.wholeAccount === true) requireWholeAccount(operation, token)
  for (let refusals = 1; ; refusals++) {
    const result = await attempt(standing, call, { bearer, token })
    if (!(result instanceof Refused)) return result
    await checkRefusal(standing, call, { bearer, token, refusals, refusal: result.error })
    token = await bearer.replace(token.version, standing.worked.has(operation.id), signal)
  }
}

/**
 * Throws the error that a refusal means. Returns if the token may be at fault and a newer one should be
 * tried.
 */
async function checkRefusal(
  standing: Standing,
  call: AuthorizedCall<unknown>,
  refused: { bearer: Bearer; token: BearerToken; refusals: number; refusal: CallsheetError },
): Promise<void> {
  const { operation, probe, signal } = call
  const { bearer, token, refusals, refusal } = refused
  const probed = probe !== undefined && (await isTaken(probe, token, signal))
  if (probed) throw call.pageTokenError(WORKS_WITHOUT)
  if (standing.denied.has(operation.id)) throw notAllowed(operation, refusal)
  if (refusals === 1) return
  if (await worksElsewhere(standing, { bearer, token }, signal)) {
    // This process was allowed the operation before: the refusal is a fault, not a missing permission.
    if (standing.worked.has(operation.id)) throw refusedAgain(call, refusals, refusal)
    standing.denied.add(operation.id)
    throw notAllowed(operation, refusal)
  }
  if (refusals < (standing.proven.has(bearer) ? MOST_TOKENS : 2)) return
  throw probe === undefined
    ? refusedAgain(call, refusals, refusal)
    : call.pageTokenError(REFUSED_ANEW)
}

/** Refuses a token that shows only its own user's data: the answer would look like the whole account's. */
function requireWholeAccount(operation: Operation, { scopes = [] }: BearerToken): void {
  const own = ownViewScopes(operation, scopes)
  if (own.length > 0) throw narrowScope(operation, own)
}

/** A refused bearer as a value, because the caller must first find out what the refusal means. */
class Refused {
  readonly error: CallsheetError
  constructor(error: CallsheetError) {
    this.error = error
  }
}

async function attempt<T>(
  standing: Standing,
  call: AuthorizedCall<T>,
  { bearer, token }: { bearer: Bearer; token: BearerToken },
): Promise<T | Refused> {
  try {
    const result = await call.attempt(token)
    standing.worked.add(call.operation.id)
    standing.denied.delete(call.operation.id)
    standing.proven.add(bearer)
    if (call.witness !== undefined) standing.witness.set(bearer, call.witness)
    return result
  } catch (error) {
    if (asksForRenewal(error)) return new Refused(error)
    throw error
  }
}

async function isTaken(probe: Witness, token: BearerToken, signal: AbortSignal | undefined) {
  try {
    await probe(token, signal)
    return true
  } catch (error) {
    if (asksForRenewal(error)) return false
    throw error
  }
}

/**
 * Returns true if a token that was just refused still works for another operation. The token may have ended
 * since that operation last succeeded, so its read is sent again.
 */
async function worksElsewhere(
  standing: Standing,
  { bearer, token }: { bearer: Bearer; token: BearerToken },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const witness = standing.witness.get(bearer)
  if (witness === undefined) return false
  try {
    return await isTaken(witness, token, signal)
  } catch (error) {
    // The service accepted the token, but refused the request for another reason.
    if (!(error instanceof ServiceError) || error.retry.kind !== 'never') throw error
    return true
  }
}

function asksForRenewal(error: unknown): error is CallsheetError {
  return error instanceof CallsheetError && error.retry.kind === 'renew-token'
}

function notAllowed(operation: Operation, refusal: CallsheetError): NotAllowedError {
  const answer = refusal instanceof ServiceError ? refusal : undefined
  return new NotAllowedError(
    {
      operation: operation.id,
      status: answer?.status ?? 401,
      serviceCode: answer?.serviceCode,
      trackingId: answer?.trackingId,
      verdict: { kind: 'never' },
    },
    {
      tried: tried(operation),
      came: `the call is not allowed, but the same token works for other calls: ${refusal.facts.came}`,
      todo: "check the app's scopes and features, and that the app may use this part of the API",
    },
  )
}

function refusedAgain(
  { operation, clock }: Pick<AuthorizedCall<unknown>, 'operation' | 'clock'>,
  refusals: number,
  refusal: CallsheetError,
): AuthenticationError {
  const note = clockNote(refusal, clock.now())
  const pair =
    operation.bearer === 'jwt' ? 'the key and secret in videoSessions' : 'its key and secret'
  const refused = `the service refused ${refusals} tokens in a row: ${refusal.facts.came}`
  return new AuthenticationError('token_refused', {
    tried: tried(operation),
    came: note === undefined ? refused : `${note}; ${refused}`,
    todo: [
      ...(note === undefined ? [] : [SET_CLOCK]),
      `check that the app is active, that ${pair} match, and that no other program uses the app`,
      // Some services also answer like this if the account may not use the operation at all.
      ...(operation.needs === undefined ? [] : [`the operation needs ${operation.needs}`]),
    ].join('; '),
  })
}

/** A token. Its version increases with each new one, so that a refusal can name the refused token. */
export interface BearerToken {
  value: string
  version: number
  /** The scopes that the token was granted; undefined for a token that needs none. */
  scopes?: readonly string[]
  /** The API's address in the answer with the token; only for the account's own token. */
  apiUrl?: string
}

/** A source of tokens for one account: the shared account token, or session JWTs signed here. */
export interface Bearer {
  current(signal?: AbortSignal): Promise<BearerToken>
  /**
   * Returns a token newer than the refused `version`: from the store, or by renewing it. `worked` says that
   * the service had accepted a token for this operation before.
   */
  replace(version: number, worked: boolean, signal?: AbortSignal): Promise<BearerToken>
  /** A note for the operator about the token's history. */
  remark?(): string | undefined
}

const SET_CLOCK = 'synchronize the clock of this machine, for example with NTP, then run again'
/** A call fails after this many refused tokens, or after two if no token of its bearer ever worked. */
const MOST_TOKENS = 5
const WORKS_WITHOUT = 'the service refused it, but accepts the same request without it'
const REFUSED_ANEW = 'the service refused it, also with a new access token'
