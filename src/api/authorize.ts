import {
  AuthenticationError,
  CallsheetError,
  NotAllowedError,
  ServiceError,
} from '../core/errors.ts'
import type { Operation } from '../core/operation.ts'
import { ownViewScopes } from '../core/whole-account.ts'
import type { Bearer, BearerToken } from './auth/bearer.ts'
import { narrowScope, tried } from './refusal.ts'

/** Whose token an operation takes. Without `jwt`, video-session calls take the account token as well. */
export interface Authorities {
  oauth: Bearer
  jwt?: Bearer
}

/**
 * What calls so far have shown about tokens and operations: it tells a bad token from a forbidden
 * operation.
 */
export interface Standing {
  /** Operations that a token has worked for in this process. */
  worked: Set<string>
  /** Operations refused with a renewed token while others worked. */
  denied: Set<string>
  /** By bearer, the newest version that has worked for any operation. */
  newestWorking: Map<Bearer, number>
  /** By bearer, a read that has worked last, to be sent again. */
  witness: Map<Bearer, Witness>
}

/** Sends a read that has worked before with another token. */
type Witness = (token: BearerToken, signal: AbortSignal | undefined) => Promise<unknown>

export function createStanding(): Standing {
  return { worked: new Set(), denied: new Set(), newestWorking: new Map(), witness: new Map() }
}

export interface AuthorizedCall<T> {
  operation: Operation
  attempt(token: BearerToken): Promise<T>
  /**
   * For a request with a page token: the same without it. Resolves when the bearer is good, so that the
   * refusal can only have meant the page token.
   */
  probe?(token: BearerToken): Promise<unknown>
  /** The error of a page token that is refused; says how that showed. */
  pageTokenError(what: string): Error
  /** Undefined for what must not be sent again. */
  witness?: Witness
  /** What it answers must be all that the account has, not what the token's user may see of it. */
  wholeAccount?: boolean
  signal: AbortSignal | undefined
}

/** Sends a call with its bearer; when that is refused, replaces it once and repeats the call once. */
export async function authorize<T>(
  authorities: Authorities,
  standing: Standing,
  call: AuthorizedCall<T>,
): Promise<T> {
  const { operation, signal } = call
  const bearer =
    operation.bearer === 'jwt' ? (authorities.jwt ?? authorities.oauth) : authorities.oauth
  const token = await bearer.current(signal)
  if (call.wholeAccount === true) requireWholeAccount(operation, token)
  const first = await attempt(standing, call, { bearer, token })
  if (!(first instanceof Refused)) return first
  const probed = call.probe !== undefined && (await bearerIsGood(call.probe, token))
  if (probed) throw call.pageTokenError(WORKS_WITHOUT)
  if (standing.denied.has(operation.id)) throw notAllowed(operation, first.error)
  const next = await bearer.replace(token.version, standing.worked.has(operation.id), signal)
  const second = await attempt(standing, call, { bearer, token: next })
  if (!(second instanceof Refused)) return second
  if (call.probe !== undefined) throw call.pageTokenError(REFUSED_ANEW)
  const notHere = !standing.worked.has(operation.id)
  if (!notHere || !(await worksElsewhere(standing, { bearer, token: next }, signal)))
    throw refusedTwice(operation, second.error)
  standing.denied.add(operation.id)
  throw notAllowed(operation, second.error)
}

/** A list of one person's own would pass for the whole: nothing in the answer tells one from the other. */
function requireWholeAccount(operation: Operation, { scopes = [] }: BearerToken): void {
  const own = ownViewScopes(operation, scopes)
  if (own.length > 0) throw narrowScope(operation, own)
}

/** The answer "your bearer is no good", as a value: it is expected, and what it means is not known yet. */
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
    const newest = standing.newestWorking.get(bearer) ?? 0
    if (token.version > newest) standing.newestWorking.set(bearer, token.version)
    if (call.witness !== undefined) standing.witness.set(bearer, call.witness)
    return result
  } catch (error) {
    if (asksForRenewal(error)) return new Refused(error)
    throw error
  }
}

async function bearerIsGood(
  probe: (token: BearerToken) => Promise<unknown>,
  token: BearerToken,
): Promise<boolean> {
  try {
    await probe(token)
    return true
  } catch (error) {
    if (asksForRenewal(error)) return false
    throw error
  }
}

/**
 * Whether a token that was just issued works for anything. One that nothing shows to work may have been made
 * invalid by another program meanwhile, so what worked last is sent once more.
 */
async function worksElsewhere(
  standing: Standing,
  { bearer, token }: { bearer: Bearer; token: BearerToken },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if ((standing.newestWorking.get(bearer) ?? 0) >= token.version) return true
  const witness = standing.witness.get(bearer)
  if (witness === undefined) return false
  try {
    await witness(token, signal)
  } catch (error) {
    if (asksForRenewal(error)) return false
    // The service took the token, and found something else wrong.
    if (!(error instanceof ServiceError) || error.retry.kind !== 'never') throw error
  }
  return true
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
      expected: 'an operation that the app may use',
      came: `it is not allowed, while the same token works elsewhere: ${refusal.facts.came}`,
      todo: "check the app's scopes and features, and that it may use this part of the API",
    },
  )
}

function refusedTwice(operation: Operation, refusal: CallsheetError): AuthenticationError {
  return new AuthenticationError('token_refused', {
    tried: tried(operation),
    expected: 'the service to take a token that was issued just now',
    came: `it refused two tokens in a row: ${refusal.facts.came}`,
    todo: [
      'check that the app is active, its key and secret belong together, and no other program uses it',
      // Some say so, too, where the account may not use the operation at all.
      ...(operation.needs === undefined ? [] : [`the operation needs ${operation.needs}`]),
    ].join('; '),
  })
}

const WORKS_WITHOUT = 'it was refused, while the same request without it works'
const REFUSED_ANEW = 'it was refused, also with a token that was issued just now'
