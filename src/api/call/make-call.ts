import { type CallArguments, itemsOf, type Operation } from '../../core/define/operation.ts'
import type { Words } from '../../core/define/own-words.ts'
import { OutcomeUnknownError, ServiceError, TransportError } from '../../core/errors.ts'
import { translated } from '../../core/records/translate.ts'
import { isRecord } from '../../core/values/json.ts'
import { whenAborted } from '../../core/waiting.ts'
import { describe } from '../answers/describe.ts'
import { errorBeside, errorInside } from '../answers/error-body.ts'
import { trackingId } from '../answers/headers.ts'
import { refusalOf } from '../answers/payload.ts'
import { checkNamed, type Received, readJson, unexpectedAnswer } from '../answers/read-json.ts'
import { refusalError } from '../answers/refusal.ts'
import type { RetryRules } from '../answers/retry.ts'
import type { Call, OnAnswer } from './send.ts'

/** The service's answer to a call of any operation. */
export interface CallAnswer {
  status: number
  /** Parsed JSON; undefined if the answer has no body. */
  body: unknown
  trackingId: string | undefined
}

export interface CallRequest {
  body?: unknown
  /** Aborts a write only before it is sent: after that, its outcome must be known. */
  signal?: AbortSignal | undefined
  /** Called each time the call is sent. */
  onSent?: (() => void) | undefined
  /** Called with each answer, including refusals. */
  onAnswer?: OnAnswer | undefined
}

type SendUntil = <T>(call: Call<T>, rules?: Partial<RetryRules>) => Promise<T>

/**
 * A read is repeated until it succeeds or its error is final. A write could be done twice, so it is repeated
 * only after an answer that shows that nothing was done: a refused token, a rate limit, or an ID that was not
 * found. Rejects with an OutcomeUnknownError if a write was sent and its outcome is unknown.
 */
export async function makeCall(
  sendUntil: SendUntil,
  request: CallRequest & { operation: Operation; args: CallArguments },
  words?: Words,
): Promise<CallAnswer> {
  const { operation, args, body, signal, onSent, onAnswer } = request
  const sent = words === undefined ? body : translated(operation, words.own, body)
  const text = sent === undefined ? undefined : JSON.stringify(sent)
  const read = (received: Received): CallAnswer => readAnswer(received, words)
  const call = { operation, args, body: text, signal, onSent, onAnswer, read }
  return operation.method === 'GET' ? await sendUntil(call) : await sendOnce(sendUntil, call)
}

async function sendOnce(sendUntil: SendUntil, call: Call<CallAnswer>): Promise<CallAnswer> {
  const { signal } = call
  // `open`: sent, no answer yet. `not_done`: the answer (401 or 429) proves that nothing was done.
  let state: 'not_sent' | 'open' | 'not_done' | 'answered' = 'not_sent'
  const stop = new AbortController()
  const forward = (): void => {
    if (state !== 'open') stop.abort(signal?.reason)
  }
  if (signal?.aborted === true) forward()
  const stopListening = whenAborted(signal, forward)
  try {
    return await sendUntil(
      {
        ...call,
        signal: stop.signal,
        onSent: () => {
          state = 'open'
          call.onSent?.()
        },
        onAnswer: (answer, whole) => {
          state = PROVES_NOTHING_DONE.has(answer.status) ? 'not_done' : 'answered'
          call.onAnswer?.(answer, whole)
        },
      },
      { maxTries: 1 },
    )
  } catch (error) {
    if (mayHaveBeenDone(state, error)) throw outcomeUnknown(call.operation, error)
    throw error
  } finally {
    stopListening()
  }
}

/** True if a sent call got no answer, or an answer that reports a server fault or cannot be understood. */
function mayHaveBeenDone(state: string, error: unknown): boolean {
  if (state !== 'answered') return state === 'open'
  if (error instanceof ServiceError) return ['backoff', 'wait'].includes(error.retry.kind)
  return error instanceof TransportError
}

function readAnswer(received: Received, words: Words | undefined): CallAnswer {
  const { status, headers } = received.answer
  const said = readAnything(received)
  const body = words === undefined ? said : translated(received.operation, words.neutral, said)
  return { status, body, trackingId: trackingId(headers) }
}

function outcomeUnknown(operation: Operation, error: unknown): OutcomeUnknownError {
  const known = error instanceof TransportError || error instanceof ServiceError
  return new OutcomeUnknownError('outcome_unknown', {
    tried: `${operation.method} ${operation.path} (${operation.id})`,
    came: `the change may or may not have been made: ${known ? error.facts.came : 'no answer arrived'}`,
    todo: 'check in the service whether the change was made before you send it again',
    cause: error,
  })
}

/**
 * Returns the JSON of a success, or undefined for an empty body: a read may have that only with status 204.
 * Throws an error inside a success. After a write, an undeclared error leaves the outcome unknown.
 */
function readAnything(received: Received): unknown {
  const { operation, answer } = received
  const { status } = answer
  if (status >= 300) throw unexpectedAnswer(received, `the service answered HTTP ${status}`, false)
  if (answer.body.length === 0 && (status === 204 || operation.method !== 'GET')) return undefined
  const { body } = readJson({ ...received, answer: { ...answer, status: 200 } })
  if (!isRecord(body)) return body
  const list = body[itemsOf(operation) ?? '']
  const error = Array.isArray(list)
    ? errorBeside(body, operation, list.length > 0)
    : errorInside(body, operation)
  if (error === undefined) {
    if (operation.method === 'GET') checkNamed(received, body)
    return body
  }
  const refusal = refusalError(refusalOf(received, error))
  const declared = operation.errors?.some(({ code }) => code === error.code) === true
  if (declared || operation.method === 'GET' || !(refusal instanceof ServiceError)) throw refusal
  if (refusal.retry.kind !== 'never' && refusal.retry.kind !== 'once') throw refusal
  const { code = 'none', message } = error
  throw unexpectedAnswer(
    received,
    `HTTP ${status} with code ${code}, "${describe(message)}"`,
    false,
  )
}

const PROVES_NOTHING_DONE = new Set([401, 429])
