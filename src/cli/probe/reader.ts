import type { Answer } from '../../api/answers/answer.ts'
import { readErrorBody } from '../../api/answers/error-body.ts'
import type { Authorities } from '../../api/client/authorize.ts'
import type { BearerToken } from '../../api/client/bearer.ts'
import type { OnAnswer } from '../../api/client/send.ts'
import { type Client, createClient } from '../../api/client.ts'
import type { Governor } from '../../api/rate/governor.ts'
import type { CallArguments, Operation } from '../../core/declare/operation.ts'
import {
  CallsheetError,
  MissingScopeError,
  PageTokenError,
  ServiceError,
} from '../../core/errors/errors.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import { followedApiOf, limitsOf, type OpenAccount } from '../accounts/open-account.ts'
import type { Wiring } from '../accounts/wire.ts'
import { openPools } from '../frame/open-pools.ts'
import { isForbidden } from './is-forbidden.ts'
import type { Heard, Reader, Reading } from './probe.ts'

export interface ReaderOptions {
  open: OpenAccount
  wiring: Wiring
  signal: AbortSignal
  /** The most requests in total. */
  mostCalls: number
  granted: () => WireRecord | undefined
}

export interface OpenReader extends Reader {
  /** Starts the next probe, which may make this many reads. */
  begin(mostReads: number): void
  /** The requests sent so far, and the calls of the current probe. */
  spent(): { calls: number; reads: number }
  close(): Promise<void>
}

/** Allows only reads, and no more requests than announced, whatever the answers are. */
export function openReader(options: ReaderOptions): OpenReader {
  const { open, signal } = options
  const { clock } = open.deps
  const budget = { calls: 0, reads: 0, mostReads: 0 }
  const { clients, close } = openClients(options, budget)
  const readings: Reading[] = []
  const answers: Heard[] = []
  return {
    settings: open.settings,
    nowMs: clock.now(),
    granted: options.granted,
    found: open.found.all(),
    seen: { readings, answers },
    begin(mostReads) {
      budget.mostReads = mostReads
      budget.reads = 0
    },
    spent: () => ({ calls: budget.calls, reads: budget.reads }),
    close,
    async read(operation, args = {}, bearer) {
      if (operation.method !== 'GET' || budget.reads >= budget.mostReads)
        throw new RangeError(`${operation.id} is no read that was announced`)
      budget.reads++
      const own: Heard[] = []
      const onAnswer: OnAnswer = (_answer, whole) => own.push(heard(operation, whole, clock.now()))
      const madeUp = bearer === 'made-up'
      const client = madeUp ? clients.madeUp : clients.usual
      const call = bearer === 'oauth' ? { ...operation, bearer } : operation
      const asked = { call, args, signal, onAnswer, own, madeUp }
      // The answers to a made-up bearer say nothing about the real calls.
      if (madeUp) return await readOnce(client, asked)
      const reading = await readOnce(client, asked).finally(() => answers.push(...own))
      readings.push(reading)
      return reading
    },
  }
}

async function readOnce(
  client: Client,
  request: {
    call: Operation
    args: CallArguments
    signal: AbortSignal
    onAnswer: OnAnswer
    own: readonly Heard[]
    madeUp: boolean
  },
): Promise<Reading> {
  const { call: operation, args, signal, onAnswer, own, madeUp } = request
  try {
    const { status, body } = await client.call(operation, args, { signal, onAnswer })
    return { operation, args, body, status, code: undefined, refusal: undefined }
  } catch (error) {
    // After a refused page token, the first page may have been read to find the cause.
    const told = error instanceof PageTokenError ? own.find(isError) : own.at(-1)
    if (told === undefined || !(isNews(error) || (madeUp && isRefusal(error)))) throw error
    const { status } = told
    return { operation, args, body: undefined, status, code: told.error?.code, refusal: error }
  }
}

/** A refusal that concerns the call itself, not the right to make it. */
function isNews(error: unknown): error is CallsheetError {
  if (error instanceof PageTokenError) return true
  return error instanceof ServiceError && error.retry.kind === 'never' && !isForbidden(error)
}

/** For a made-up bearer, every refusal is a result. */
function isRefusal(error: unknown): error is CallsheetError {
  if (error instanceof MissingScopeError || error instanceof ServiceError) return true
  return error instanceof CallsheetError && error.code === MADE_UP
}

function isError({ status }: Heard): boolean {
  return status >= 400
}

function heard(operation: Operation, { status, headers, body }: Answer, atMs: number): Heard {
  return { operation, atMs, status, headers, error: errorOf(status, body) }
}

/** A success may contain an error too, and is short then. */
function errorOf(status: number, body: Buffer): Heard['error'] {
  if (status < 400 && body.length > LONGEST_ERROR) return undefined
  const { code, message, details } = readErrorBody(body)
  const inside = code !== undefined && code !== '0' && message !== ''
  if (status < 400 && !inside) return undefined
  return { code, message, details, wellFormed: code !== undefined && isJson(body) }
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'))
    return true
  } catch {
    return false
  }
}

/** The account's client, and one with a made-up bearer: both share the same budget. */
function openClients(
  { open, wiring, mostCalls }: ReaderOptions,
  budget: { calls: number },
): { clients: Record<'usual' | 'madeUp', Client>; close(): Promise<void> } {
  const { authorities, settings } = open
  const { clock, observer, random = Math.random } = wiring
  const governor: Governor = {
    ...open.governor,
    async run(label, signal, task) {
      if (budget.calls >= mostCalls) throw spentAll(mostCalls)
      budget.calls++
      return await open.governor.run(label, signal, task)
    },
  }
  const { baseUrl } = settings
  const { words } = open.deps
  const followedApi = followedApiOf(settings, authorities)
  const shared = {
    baseUrl,
    followedApi,
    words,
    governor,
    clock,
    observer,
    random,
    limits: limitsOf(wiring),
    openPool: openPools(),
  }
  const clientFor = (own: Authorities): Client =>
    createClient({ ...shared, authorities: own, retryRules: IMPATIENT })
  const clients = { usual: clientFor(authorities), madeUp: clientFor({ oauth: madeUpBearer() }) }
  const close = async (): Promise<void> =>
    void (await Promise.allSettled([clients.usual.close(), clients.madeUp.close()]))
  return { clients, close }
}

/** Is never replaced: the probe tests that it is refused. */
function madeUpBearer(): Authorities['oauth'] {
  const token: BearerToken = { value: 'callsheet-probe-no-such-token', version: 1 }
  return {
    current: () => Promise.resolve(token),
    replace: () =>
      Promise.reject(
        new CallsheetError(MADE_UP, { tried: 'reading', came: 'the bearer was refused' }),
      ),
  }
}

function spentAll(mostCalls: number): CallsheetError {
  return new CallsheetError('calls_spent', {
    tried: 'reading',
    expected: `no more than the ${mostCalls} calls that were announced`,
    came: 'they were spent on answers that had to be asked for again',
  })
}

const MADE_UP = 'made_up_bearer'
const LONGEST_ERROR = 4_096
const IMPATIENT = { maxTries: 2, baseMs: 500, capMs: 1_000 }
