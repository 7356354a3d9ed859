import { meansDeleted } from '../core/define/answer-meaning.ts'
import type { ArgumentsOf } from '../core/define/define-operation.ts'
import type { FileHost } from '../core/define/file-host.ts'
import type { Observer } from '../core/define/observer.ts'
import type { CallArguments, Operation } from '../core/define/operation.ts'
import type { Words } from '../core/define/own-words.ts'
import type { FoundReadings } from '../core/define/ports.ts'
import type { Clock } from '../core/time/clock.ts'
import type { WireRecord } from '../core/values/json.ts'
import { errorInside } from './answers/error-body.ts'
import { type Page, readPage, readUnproven, refusalOf } from './answers/payload.ts'
import { checkNamed, type Received, readObject } from './answers/read-json.ts'
import { refusalError } from './answers/refusal.ts'
import { RETRY_RULES, type RetryRules } from './answers/retry.ts'
import { createAsking } from './call/asking.ts'
import { type Authorities, createStanding } from './call/authorize.ts'
import type { ExchangeLimits } from './call/exchange.ts'
import { type CallAnswer, type CallRequest, makeCall } from './call/make-call.ts'
import { createOrEmpty } from './call/no-content.ts'
import { type OpenPool, openPool } from './call/pools.ts'
import { createApiPlaces, type FollowedApi } from './call/request-address.ts'
import { type Call, send } from './call/send.ts'
import { inEachWay, persist } from './call/send-until.ts'
import { createDownload, type Download } from './files/download.ts'
import type { Resolve } from './files/file-pools.ts'
import type { Governor } from './quota/governor.ts'

export interface Client {
  /** Returns one page of a list that covers the whole account, or throws the reason. */
  fetchPage<Op extends Operation>(
    operation: Op,
    args: ArgumentsOf<Op>,
    options?: PageOptions,
  ): Promise<Page>
  /** Returns one record of the account, or reports that the service has deleted it. */
  fetchDetail<Op extends Operation>(
    operation: Op,
    args: ArgumentsOf<Op>,
    options?: CallOptions,
  ): Promise<Detail>
  /**
   * Calls any operation and returns its answer unchanged, except for the service's own words. The caller
   * checks arguments and body.
   */
  call(operation: Operation, args: CallArguments, request?: CallRequest): Promise<CallAnswer>
  /** Fetches a file that a record refers to. */
  download: Download
  /** A note for the operator about the account's tokens or API address. */
  remark(): string | undefined
  close(): Promise<void>
}

export interface CallOptions {
  signal?: AbortSignal
}

export interface PageOptions extends CallOptions {
  /** The caller checks that each record is JSON, which saves work if it already knows most records. */
  unproven?: boolean
  /** Called when the request goes out, once per try. */
  onSent?: () => void
}

export type Detail =
  | { state: 'found'; record: WireRecord; requestedAtMs: number }
  | { state: 'deleted'; status: number; code: string | undefined }

export interface ClientOptions {
  /** The API's root, which ends with the version segment. */
  baseUrl: string
  /** Set if `baseUrl` is used only until a token's answer names another address. */
  followedApi?: FollowedApi | undefined
  authorities: Authorities
  governor: Governor
  clock: Clock
  random: () => number
  observer: Observer
  limits?: Partial<ClientLimits>
  retryRules?: RetryRules
  openPool?: OpenPool
  /** The findings of earlier calls about the account's service; new findings are added. */
  found?: FoundReadings
  /** The service's own words, if it has any: callers use the documented ones. */
  words?: Words | undefined
  /** Hosts, besides the API's own, that files may be fetched from. */
  fileHosts?: readonly FileHost[]
  /** For tests: resolves the names of file hosts. */
  resolve?: Resolve
}

export interface ClientLimits extends ExchangeLimits {
  connectTimeoutMs: number
  connections: number
  /**
   * The time limit for one file's body at any speed: enough for a recording of several hours on a slow line.
   */
  fileTimeoutMs: number
}

export const CLIENT_LIMITS: ClientLimits = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  totalTimeoutMs: 120_000,
  maxBodyBytes: 64 * 2 ** 20,
  connections: 64,
  fileTimeoutMs: 2 * 3_600_000,
}

/** The typed calls of one account. Reads are retried after a passing failure; writes are not. */
export function createClient(options: ClientOptions): Client {
  const limits = { ...CLIENT_LIMITS, ...options.limits }
  const places = createApiPlaces({
    baseUrl: options.baseUrl,
    followed: options.followedApi,
    open: (address) => (options.openPool ?? openPool)(address, limits),
  })
  const sending = { ...options, limits, places, standing: createStanding() }
  const rules = options.retryRules ?? RETRY_RULES
  const sendUntil = <T>(call: Call<T>, other: Partial<RetryRules> = {}): Promise<T> =>
    inEachWay(call, (written) =>
      persist({ ...options, rules: { ...rules, ...other } }, written, () => send(sending, written)),
    )
  const asking = createAsking(options.clock, options.found)
  const orEmpty = createOrEmpty(options.clock, options.found)
  const files = createDownload({ ...sending, rules })
  return {
    fetchPage: (operation, given, { signal, unproven = false, onSent } = {}) => {
      const read = unproven ? readUnproven : readPage
      return asking(operation, asArguments(given), (args) => {
        const call = { operation, args, signal, read, onSent, wholeAccount: true }
        return orEmpty(call, sendUntil(call))
      })
    },
    fetchDetail: (operation, given, { signal } = {}) => {
      const args = asArguments(given)
      const call = { operation, args, signal, read: readDetail, wholeAccount: true }
      return foundOrGone(operation, sendUntil(call))
    },
    call: (operation, args, request) =>
      makeCall(sendUntil, { operation, args, ...request }, options.words),
    download: files.download,
    remark: () => options.authorities.oauth.remark?.() ?? places.remark(),
    close: async () => void (await Promise.all([places.close(), files.close()])),
  }
}

/** The compiler cannot see that every operation's arguments have this form. */
function asArguments<Op extends Operation>(args: ArgumentsOf<Op>): CallArguments {
  return args as CallArguments
}

async function foundOrGone(operation: Operation, detail: Promise<Detail>): Promise<Detail> {
  try {
    return await detail
  } catch (error) {
    if (!meansDeleted(operation, error)) throw error
    return { state: 'deleted', status: error.status, code: error.serviceCode }
  }
}

function readDetail(received: Received): Detail {
  const { body } = readObject(received)
  const error = errorInside(body, received.operation)
  if (error !== undefined) throw refusalError(refusalOf(received, error))
  checkNamed(received, body)
  return { state: 'found', record: body, requestedAtMs: received.requestedAtMs }
}
