import type { Clock } from '../core/clock.ts'
import { CallsheetError, RateLimitedError } from '../core/errors.ts'
import { meansGone } from '../core/means-gone.ts'
import type { Observer } from '../core/observer.ts'
import type { CallArguments, Operation } from '../core/operation.ts'
import type { WireRecord } from '../core/stream.ts'
import { type Authorities, createStanding } from './authorize.ts'
import { errorFields } from './error-body.ts'
import type { ExchangeLimits } from './exchange.ts'
import type { Governor } from './governor.ts'
import { openPool, type OpenPool } from './origin-pool.ts'
import {
  type Page,
  readObject,
  readPage,
  readUnproven,
  type Received,
  refusalOf,
} from './payload.ts'
import { refusalError } from './refusal.ts'
import { decideRetry, RETRY_RULES, type RetryRules } from './retry.ts'
import { type Call, send, type Sending } from './send.ts'

export type { Page } from './payload.ts'

export interface Client {
  /** One page of a list, or an error that says why not. */
  fetchPage(operation: Operation, args: CallArguments, options?: PageOptions): Promise<Page>
  /** One record, or that the service no longer has it. */
  fetchDetail(operation: Operation, args: CallArguments, options?: CallOptions): Promise<Detail>
  close(): Promise<void>
}

export interface CallOptions {
  signal?: AbortSignal
}

export interface PageOptions extends CallOptions {
  /** The caller makes sure of each record (`PageRecords.proven`), which is worth it where it knows most. */
  unproven?: boolean
  /** Called when the request goes out, once for each try. */
  onSent?: () => void
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
  openPool?: OpenPool
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

/** The typed calls of one account. Reads only: whatever fails in passing is sent again. */
export function createClient(options: ClientOptions): Client {
  const limits = { ...CLIENT_LIMITS, ...options.limits }
  const pool = (options.openPool ?? openPool)(options.baseUrl, limits)
  const prefix = new URL(options.baseUrl).pathname.replace(/\/+$/, '')
  const sending = { ...options, limits, pool, prefix, standing: createStanding() }
  const rules = options.retryRules ?? RETRY_RULES
  return {
    fetchPage: (operation, args, { signal, unproven = false, onSent } = {}) => {
      const read = unproven ? readUnproven : readPage
      return persist(sending, { operation, args, signal, read, onSent }, rules)
    },
    fetchDetail: (operation, args, { signal } = {}) =>
      foundOrGone(
        operation,
        persist(sending, { operation, args, signal, read: readDetail }, rules),
      ),
    close: () => pool.destroy(),
  }
}

async function foundOrGone(operation: Operation, detail: Promise<Detail>): Promise<Detail> {
  try {
    return await detail
  } catch (error) {
    if (!meansGone(operation, error)) throw error
    return { state: 'gone', status: error.status, code: error.serviceCode }
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
async function persist<T>(
  sending: Sending & { random: () => number },
  call: Call<T>,
  rules: RetryRules,
): Promise<T> {
  const { clock, random, observer } = sending
  let tries = 0
  let rateRefusals = 0
  for (;;) {
    try {
      return await send(sending, call)
    } catch (error) {
      if (error instanceof RateLimitedError) rateRefusals++
      else tries++
      const decision = decideRetry(
        error,
        { tries, rateRefusals, nowMs: clock.now(), random },
        rules,
      )
      // An answer that the operation declares is news, not a failure.
      const answered = meansGone(call.operation, error)
      observer.event(answered ? 'api.gone' : 'api.failed', {
        operation: call.operation.id,
        code: error instanceof CallsheetError ? error.code : (error as Error).name,
        reason: error instanceof CallsheetError ? error.facts.came : undefined,
        tries,
        again: decision.again,
        wait_ms: decision.again ? Math.round(decision.waitMs) : undefined,
      })
      if (!decision.again) throw error
      if (decision.waitMs > 0) await clock.sleep(decision.waitMs, call.signal)
    }
  }
}
