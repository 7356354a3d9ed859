import type { Observer } from '../../core/define/observer.ts'
import { type CallArguments, type Operation, tried } from '../../core/define/operation.ts'
import type { Words } from '../../core/define/own-words.ts'
import { CallsheetError, ServiceError, TransportError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import { inOwnWords } from '../../core/records/translate.ts'
import type { Clock } from '../../core/time/clock.ts'
import { type Answer, trackingId } from '../answers/headers.ts'
import { carriesPageToken, isLaterPage } from '../answers/paging.ts'
import { refusalOf } from '../answers/payload.ts'
import { proxyFault } from '../answers/proxy-fault.ts'
import type { Received } from '../answers/read-json.ts'
import { redirected } from '../answers/redirected.ts'
import { pageTokenError, readErrorBody, refusalError } from '../answers/refusal.ts'
import { UNREADABLE } from '../answers/retry.ts'
import type { Governor } from '../quota/governor.ts'
import { type Authorities, authorize, type BearerToken, type Standing } from './authorize.ts'
import { type ExchangeLimits, exchange } from './exchange.ts'
import { type ApiPlace, type ApiPlaces, type PathWays, requestTarget } from './request-address.ts'

/** Everything needed to send a call of an account. */
export interface Sending {
  authorities: Authorities
  governor: Pick<Governor, 'run'>
  clock: Clock
  observer: Observer
  limits: ExchangeLimits
  places: Pick<ApiPlaces, 'at' | 'isRight'>
  standing: Standing
  words?: Words | undefined
}

export interface Call<T> {
  operation: Operation
  args: CallArguments
  /** How the IDs in the path are encoded; by default as documented. */
  ways?: PathWays | undefined
  /** JSON text. */
  body?: string | undefined
  /** See `AuthorizedCall`. */
  wholeAccount?: boolean
  signal: AbortSignal | undefined
  onSent?: (() => void) | undefined
  /** Called with each complete answer before it is checked; `whole` includes its headers. */
  onAnswer?: OnAnswer | undefined
  /** Returns the result of a complete answer below 400, or throws its fault. */
  read(received: Received): T
}

export type OnAnswer = (
  answer: { status: number; trackingId: string | undefined },
  whole: Answer,
) => void

/** One attempt at a call; a refused bearer is replaced (`authorize`). */
export function send<T>(sending: Sending, call: Call<T>): Promise<T> {
  const { operation, args, signal, wholeAccount = false } = call
  const firstPage = {
    ...call,
    args: { ...args, query: { ...args.query, next_page_token: undefined } },
  }
  return authorize(sending.authorities, sending.standing, {
    operation,
    clock: sending.clock,
    wholeAccount,
    signal,
    attempt: (token) => sendOnce(sending, call, token),
    pageTokenError: (what) => pageTokenError(operation, what),
    // The witness may be sent again later, so it must not be a write.
    ...(operation.method === 'GET' ? { witness: witnessOf(sending, firstPage) } : {}),
    ...(carriesPageToken(args) && operation.method === 'GET'
      ? { probe: (token: BearerToken) => sendOnce(sending, firstPage, token) }
      : {}),
  })
}

/** Repeats a read to check a token. The answer is parsed too, because a 200 may contain an error. */
function witnessOf(sending: Sending, { operation, args, ways, read }: Call<unknown>) {
  return (token: BearerToken, signal: AbortSignal | undefined): Promise<unknown> =>
    sendOnce(sending, { operation, args, ways, signal, read }, token)
}

async function sendOnce<T>(sending: Sending, call: Call<T>, token: BearerToken): Promise<T> {
  const place = await sending.places.at(token, call.signal)
  try {
    const result = await sendTo(sending, call, { place, token })
    sending.places.isRight()
    return result
  } catch (error) {
    if (isServicesOwn(error)) sending.places.isRight()
    throw error
  }
}

async function sendTo<T>(
  sending: Sending,
  call: Call<T>,
  { place, token }: { place: ApiPlace; token: BearerToken },
): Promise<T> {
  // The answer is read before the governor's slot is released, because a 200 may contain a 429.
  return await sending.governor.run(call.operation.rate, call.signal, async (sent) => {
    const onSent = (): void => {
      sent()
      call.onSent?.()
    }
    const received = await exchangeCall(sending, call, { place, token, onSent })
    const { status, headers } = received.answer
    call.onAnswer?.({ status, trackingId: trackingId(headers) }, received.answer)
    if (status >= 300 && status < 400 && status !== 304)
      throw redirectOf({ ...place, words: sending.words }, call, received)
    if (status < 400) return call.read(received)
    throw (
      proxyFault(tried(call.operation), received.answer, received.nowMs) ??
      refusalError(refusalOf(received, readErrorBody(received.answer.body)))
    )
  })
}

/**
 * Returns true if an error proves that the service is at its address. A refused token is no proof, because
 * another server of the service would refuse it too. An answer that a third party could send is no proof.
 */
function isServicesOwn(error: unknown): boolean {
  if (error instanceof ServiceError) {
    const { retry, serviceCode, status } = error
    return (
      retry.kind !== 'renew-token' && serviceCode !== undefined && serviceCode !== String(status)
    )
  }
  if (error instanceof TransportError) return error.code === UNREADABLE && !error.retryable
  return error instanceof CallsheetError
}

function redirectOf(
  place: ApiPlace & Pick<Sending, 'words'>,
  call: Call<unknown>,
  { answer }: Received,
): Error {
  const { baseUrl, prefix } = place
  const url = new URL(targetOf(place, call), baseUrl)
  const asked = { tried: tried(call.operation), url, setting: 'baseUrl' as const, root: prefix }
  return new TransportError('redirected', false, redirected(asked, answer))
}

async function exchangeCall<T>(
  sending: Sending,
  call: Call<T>,
  { place, token, onSent }: { place: ApiPlace; token: BearerToken; onSent: () => void },
): Promise<Received> {
  const { limits, clock, observer, words } = sending
  const { operation, args, body, signal } = call
  const requestedAtMs = clock.now()
  const startedMs = clock.elapsed()
  const headers = {
    authorization: `Bearer ${token.value}`,
    accept: 'application/json',
    'accept-encoding': 'gzip, identity',
    'user-agent': 'callsheet',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const { pool, prefix } = place
  const request = {
    tried: tried(operation),
    method: operation.method,
    path: targetOf({ prefix, words }, call),
    headers,
    ...(body === undefined ? {} : { body }),
    signal,
    onSent,
  }
  await point('fetch:before')
  const answer = await exchange({ pool, clock, words }, request, limits)
  await point('fetch:after')
  observer.event('api.answer', {
    operation: operation.id,
    status: answer.status,
    bytes: answer.body.length,
    ms: Math.round(clock.elapsed() - startedMs),
    tracking_id: trackingId(answer.headers),
  })
  const paged = isLaterPage(args)
  const sent = { operation, args, body, words, paged, requestedAtMs }
  return { ...sent, answer, nowMs: clock.now() }
}

/** Returns the path and query of a call, with words in the service's spelling. */
function targetOf(
  { prefix, words }: Pick<ApiPlace, 'prefix'> & Pick<Sending, 'words'>,
  { operation, args, ways }: Call<unknown>,
): string {
  return requestTarget({ operation, args: inOwnWords(words, operation, args), ways }, prefix)
}
