import type { Pool } from 'undici'
import type { Clock } from '../core/clock.ts'
import { CallsheetError, RateLimitedError, ServiceError } from '../core/errors.ts'
import type { Observer } from '../core/observer.ts'
import type { CallArguments, Operation } from '../core/operation.ts'
import type { WireRecord } from '../core/stream.ts'
import type { BearerToken } from './auth/bearer.ts'
import { type Authorities, authorize, createStanding, type Standing } from './authorize.ts'
import { errorFields, readErrorBody } from './error-body.ts'
import { type Answer, exchange, type ExchangeLimits } from './exchange.ts'
import type { Governor } from './governor.ts'
import { openPool } from './origin-pool.ts'
import { type Page, readObject, readPage, type Received, refusalOf } from './payload.ts'
import { pageTokenError, refusalError, trackingId } from './refusal.ts'
import { requestTarget } from './request-target.ts'
import { decideRetry, RETRY_RULES, type RetryRules } from './retry.ts'

export type { Page } from './payload.ts'

export interface Client {
  /** One page of a list, or an error that says why not. */
  fetchPage(operation: Operation, args: CallArguments, options?: CallOptions): Promise<Page>
  /** One record, or that the service no longer has it. */
  fetchDetail(operation: Operation, args: CallArguments, options?: CallOptions): Promise<Detail>
  close(): Promise<void>
}

export interface CallOptions {
  signal?: AbortSignal
}

export type Detail =
  | { state: 'found'; record: WireRecord; requestedAtMs: number }
  | { state: 'gone'; status: number; code: string | undefined }

export interface ClientOptions {
  /** The API's root, which ends with the version segment. */
  baseUrl: string
  authorities: Authorities
  governor: Governor
  clock: Clock
  random: () => number
  observer: Observer
  limits?: Partial<ClientLimits>
  retryRules?: RetryRules
}

export interface ClientLimits extends ExchangeLimits {
  connectTimeoutMs: number
  connections: number
}

export const CLIENT_LIMITS: ClientLimits = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  totalTimeoutMs: 120_000,
  maxBodyBytes: 64 * 2 ** 20,
  connections: 64,
}

/** Everything that the parts of one call need. */
interface Context {
  options: ClientOptions
  limits: ClientLimits
  pool: Pool
  prefix: string
  standing: Standing
}

interface Call<T> {
  operation: Operation
  args: CallArguments
  signal: AbortSignal | undefined
  read(received: Received): T
}

/** The typed calls of one account. Reads only: whatever fails in passing is sent again. */
export function createClient(options: ClientOptions): Client {
  const limits = { ...CLIENT_LIMITS, ...options.limits }
  const context: Context = {
    options,
    limits,
    pool: openPool(options.baseUrl, limits),
    prefix: new URL(options.baseUrl).pathname.replace(/\/+$/, ''),
    standing: createStanding(),
  }
  return {
    fetchPage: (operation, args, { signal } = {}) =>
      persist(context, { operation, args, signal, read: readPage }),
    fetchDetail: (operation, args, { signal } = {}) =>
      fetchDetail(context, operation, args, signal),
    close: () => context.pool.destroy(),
  }
}

async function fetchDetail(
  context: Context,
  operation: Operation,
  args: CallArguments,
  signal: AbortSignal | undefined,
): Promise<Detail> {
  try {
    return await persist<Detail>(context, { operation, args, signal, read: readDetail })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { status, serviceCode } = error
    const gone = operation.gone?.some(
      (answer) => answer.status === status && (answer.code ?? serviceCode) === serviceCode,
    )
    if (gone !== true) throw error
    return { state: 'gone', status, code: serviceCode }
  }
}

/** A body with a code and a message that does not fit the operation's schema is an error inside a 200. */
function readDetail(received: Received): Detail {
  const { body } = readObject(received)
  const fields = errorFields(body)
  const failed = fields.code !== undefined && fields.code !== '0' && 'message' in body
  if (failed && !received.operation.response.safeParse(body).success) {
    throw refusalError(refusalOf(received, fields))
  }
  return { state: 'found', record: body, requestedAtMs: received.requestedAtMs }
}

/** Sends a call until it succeeds or its error says that it will not. Sleeps outside the governor's slots. */
async function persist<T>(context: Context, call: Call<T>): Promise<T> {
  const { clock, random, observer, retryRules = RETRY_RULES } = context.options
  let tries = 0
  let rateRefusals = 0
  for (;;) {
    try {
      return await sendAuthorized(context, call)
    } catch (error) {
      if (error instanceof RateLimitedError && error.scope === 'rate') rateRefusals++
      else tries++
      const state = { tries, rateRefusals, nowMs: clock.now(), random }
      const decision = decideRetry(error, state, retryRules)
      observer.event('api.failed', {
        operation: call.operation.id,
        error: error instanceof CallsheetError ? error.code : (error as Error).name,
        tries,
        again: decision.again,
        wait_ms: decision.again ? Math.round(decision.waitMs) : undefined,
      })
      if (!decision.again) throw error
      if (decision.waitMs > 0) await clock.sleep(decision.waitMs, call.signal)
    }
  }
}

function sendAuthorized<T>(context: Context, call: Call<T>): Promise<T> {
  const firstPage = { ...call.args, query: { ...call.args.query, next_page_token: undefined } }
  const { authorities } = context.options
  return authorize(authorities, context.standing, {
    operation: call.operation,
    signal: call.signal,
    attempt: (token) => sendOnce(context, call, token),
    pageTokenError: () =>
      pageTokenError(call.operation, 'it was refused, while the same request without it works'),
    ...(carriesPageToken(call.args)
      ? {
          probe: (token: BearerToken) => sendOnce(context, { ...call, args: firstPage }, token),
        }
      : {}),
  })
}

async function sendOnce<T>(context: Context, call: Call<T>, token: BearerToken): Promise<T> {
  const { governor } = context.options
  const { rate } = call.operation
  let answered: Received | undefined
  try {
    const received = await governor.run(rate, call.signal, async (sent) => {
      answered = await sendNow(context, call, token, sent)
      if (answered.answer.status < 400) return answered
      throw refusalError(refusalOf(answered, readErrorBody(answered.answer.body)))
    })
    return call.read(received)
  } catch (error) {
    // The service's own 429, as a status or inside a 200, holds the whole label; ours needs no holding.
    if (error instanceof RateLimitedError && answered !== undefined) {
      await governor.hold(rate, error.untilMs, error.scope)
    }
    throw error
  }
}

async function sendNow<T>(
  context: Context,
  { operation, args, signal }: Call<T>,
  token: BearerToken,
  onSent: () => void,
): Promise<Received> {
  const { clock, observer } = context.options
  const requestedAtMs = clock.now()
  const startedMs = clock.elapsed()
  const headers = {
    authorization: `Bearer ${token.value}`,
    accept: 'application/json',
    'accept-encoding': 'gzip, identity',
    'user-agent': 'callsheet',
  }
  const path = requestTarget(operation, args, context.prefix)
  const request = { method: operation.method, path, headers, signal, onSent }
  const answer = await exchange(context.pool, request, context.limits)
  observeAnswer(observer, operation, answer, clock.elapsed() - startedMs)
  const paged = carriesPageToken(args)
  return { operation, answer, paged, requestedAtMs, nowMs: clock.now() }
}

function observeAnswer(observer: Observer, operation: Operation, answer: Answer, ms: number): void {
  observer.event('api.answer', {
    operation: operation.id,
    status: answer.status,
    bytes: answer.body.length,
    ms: Math.round(ms),
    tracking_id: trackingId(answer.headers),
  })
}

function carriesPageToken(args: CallArguments): boolean {
  const token = args.query?.next_page_token
  return token !== undefined && token !== ''
}
