import type { Operation } from '../../core/declare/operation.ts'
import { ownViewScopes } from '../../core/declare/whole-account.ts'
import {
  AuthenticationError,
  CallsheetError,
  NotAllowedError,
  ServiceError,
} from '../../core/errors/errors.ts'
import { narrowScope } from '../answers/missing-scope.ts'
import { tried } from '../answers/tried.ts'
import type { Bearer, BearerToken } from './bearer.ts'

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
  /** Bearers of which some token has worked for something. */
  proven: Set<Bearer>
  /** By bearer, a read that has worked last, to be sent again. */
  witness: Map<Bearer, Witness>
}

/** Sends a read that has worked before with another token. */
type Witness = (token: BearerToken, signal: AbortSignal | undefined) => Promise<unknown>

export function createStanding(): Standing {
  return { worked: new Set(), denied: new Set(), proven: new Set(), witness: new Map() }
}

export interface AuthorizedCall<T> {
  operation: Operation
  attempt(token: BearerToken): Promise<T>
  /**
   * For a request with a page token: the same without it. Resolves when the bearer is good, so that the
   * refusal can only have meant the page token.
   */
  probe?: Witness
  /** The error of a page token that is refused; says how that showed. */
  pageTokenError(what: string): Error
  /** Undefined for what must not be sent again. */
  witness?: Witness
  /** What it answers must be all that the account has, not what the token's user may see of it. */
  wholeAccount?: boolean
  signal: AbortSignal | undefined
}

/**
 * Sends a call with its bearer. One that is refused is replaced and the call repeated, for as long as the
 * refusals may be those of tokens that died early: a new token ends the one before it, whoever asked for it.
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

/** Throws what a refusal means, unless it may mean the token alone and another one is to be tried. */
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
    // What was allowed a moment ago is no less so now: that is a fault, and not to be passed over.
    if (standing.worked.has(operation.id)) throw refusedAgain(operation, refusals, refusal)
    standing.denied.add(operation.id)
    throw notAllowed(operation, refusal)
  }
  if (refusals < (standing.proven.has(bearer) ? MOST_TOKENS : 2)) return
  throw probe === undefined
    ? refusedAgain(operation, refusals, refusal)
    : call.pageTokenError(REFUSED_ANEW)
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
 * Whether a token that was just refused is taken for anything. That one has worked before says nothing: it
 * may have been made invalid meanwhile, so what worked last is sent once more.
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
    // The service took the token, and found something else wrong.
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
      expected: 'an operation that the app may use',
      came: `it is not allowed, while the same token works elsewhere: ${refusal.facts.came}`,
      todo: "check the app's scopes and features, and that it may use this part of the API",
    },
  )
}

function refusedAgain(
  operation: Operation,
  refusals: number,
  refusal: CallsheetError,
): AuthenticationError {
  return new AuthenticationError('token_refused', {
    tried: tried(operation),
    expected: 'the service to take a token that was issued just now',
    came: `it refused ${refusals} tokens in a row: ${refusal.facts.came}`,
    todo: [
      'check that the app is active, its key and secret belong together, and no other program uses it',
      // Some say so, too, where the account may not use the operation at all.
      ...(operation.needs === undefined ? [] : [`the operation needs ${operation.needs}`]),
    ].join('; '),
  })
}

/** So many die one after the other only where something takes each of them away at once. */
const MOST_TOKENS = 5
const WORKS_WITHOUT = 'it was refused, while the same request without it works'
const REFUSED_ANEW = 'it was refused, also with a token that was issued just now'
