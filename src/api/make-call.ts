import { OutcomeUnknownError, ServiceError, TransportError } from '../core/errors.ts'
import type { CallArguments, Operation } from '../core/operation.ts'
import { trackingId } from './headers.ts'
import { readAnything, type Received } from './payload.ts'
import type { RetryRules } from './retry.ts'
import type { Call } from './send.ts'

/** What the service answered a call of any operation. */
export interface CallAnswer {
  status: number
  /** Parsed JSON; undefined where the answer has no body. */
  body: unknown
  trackingId: string | undefined
}

export interface CallRequest {
  body?: unknown
  signal?: AbortSignal | undefined
}

/** A read is sent until it succeeds or never will. A write is sent once: twice might do it twice. */
export async function makeCall(
  sendUntil: <T>(call: Call<T>, rules?: Partial<RetryRules>) => Promise<T>,
  { operation, args, body, signal }: CallRequest & { operation: Operation; args: CallArguments },
): Promise<CallAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const call = { operation, args, body: text, signal, read: readAnswer }
  if (operation.method === 'GET') return await sendUntil(call)
  let sent = false
  const onSent = (): void => void (sent = true)
  try {
    return await sendUntil({ ...call, onSent }, { maxTries: 1 })
  } catch (error) {
    if (sent && mayHaveBeenDone(error)) throw outcomeUnknown(error)
    throw error
  }
}

function readAnswer(received: Received): CallAnswer {
  const { status, headers } = received.answer
  return { status, body: readAnything(received), trackingId: trackingId(headers) }
}

/** The connection broke after the request was out, or the service failed while it worked on it. */
function mayHaveBeenDone(error: unknown): error is TransportError | ServiceError {
  if (error instanceof ServiceError) return error.status >= 500 || error.status === 408
  return error instanceof TransportError
}

function outcomeUnknown(error: TransportError | ServiceError): OutcomeUnknownError {
  return new OutcomeUnknownError('outcome_unknown', {
    tried: error.facts.tried,
    expected: 'an answer that says whether it was done',
    came: error.facts.came,
    todo: 'look at the service whether it was done before you send it again',
    cause: error,
  })
}
