import { isDeclaredDeleted } from '../../core/define/answer-meaning.ts'
import { type Operation, tried } from '../../core/define/operation.ts'
import { TransportError } from '../../core/errors.ts'
import type { ErrorBody } from '../answers/error-body.ts'
import { header, retryAfterMs, trackingNote } from '../answers/headers.ts'
import { isPage, proxyFault } from '../answers/proxy-fault.ts'
import { type Refusal, readErrorBody, refusalError, serviceError } from '../answers/refusal.ts'
import { AGAIN, cutShort, wrongEncoding } from '../answers/transport-faults.ts'
import { isMarkup, lengthOf, MOST_ERROR_BYTES, plainBytes } from './file-head.ts'
import { inPlaceOfFile, PAGE } from './file-kind.ts'
import type { FileAnswer } from './receive-file.ts'

interface Asked {
  operation: Operation
  /** True if the API itself answered: another host's messages and quota are ignored. */
  own: boolean
  /** True if the host received our token: then it may report the file as deleted, as the API would. */
  trusted: boolean
  /** The file's length and kind as stated by the service. */
  bytes: number | undefined
  kind: string | undefined
  nowMs: number
}

/** Returns the target of a redirect; undefined for any other answer. */
export function locationOf({ status, headers }: FileAnswer): string | undefined {
  return REDIRECTS.has(status) ? header(headers, 'location') : undefined
}

/** Throws unless the answer was a whole file. */
export function checkFile(asked: Asked, answer: FileAnswer): void {
  const { status, headers, bytes, held } = answer
  const exchanged = { tried: tried(asked.operation), headers }
  if (status >= 400) {
    const word = asked.own
      ? proxyFault(exchanged.tried, { ...answer, body: held }, asked.nowMs)
      : undefined
    throw word ?? refusalOf(asked, answer, readErrorBody(held))
  }
  if (status !== 200)
    throw noFile(asked, answer, {
      came: `the service answered HTTP ${status}`,
      retryable: status === 204,
    })
  if (!plainBytes(headers)) throw wrongEncoding(exchanged)
  if (isMarkup(headers))
    throw noFile(asked, answer, {
      came: `the answer is ${PAGE}`,
      retryable: true,
      code: PAGE_OF_HTML,
    })
  const due = lengthOf(headers)
  if (due !== undefined && due !== bytes)
    throw cutShort(exchanged, `the answer ended after ${bytes} of ${due} bytes`)
  const fields = asked.own ? errorInside(answer) : undefined
  if (fields !== undefined) throw refusalOf(asked, answer, fields)
  if (bytes === 0 && asked.bytes !== 0)
    throw noFile(asked, answer, { came: 'the body is empty', retryable: true, code: NO_FILE })
  const what = inPlaceOfFile(answer, asked.kind)
  if (what !== undefined)
    throw noFile(asked, answer, {
      came: `the answer is ${what}`,
      retryable: true,
      code: what === PAGE ? PAGE_OF_HTML : NO_FILE,
    })
  if (asked.bytes !== undefined && asked.bytes !== bytes) throw otherLength(asked, answer)
  if (answer.end === 'unknown' && asked.bytes === undefined) throw unknownLength(asked, answer)
}

function refusalOf(asked: Asked, answer: FileAnswer, body: ErrorBody): Error {
  const { operation, own, trusted, nowMs } = asked
  const { status, headers } = answer
  const refusal: Refusal = { operation, status, headers, body, paged: false, nowMs }
  if (own && trusted) return refusalError(refusal)
  // Another origin's answer proves nothing about our token or quota, and its message may be anything.
  const passing = status >= 500 || status === 408 || status === 429
  const deleted = trusted && isDeclaredDeleted(operation, { status, code: body.code })
  const waitMs = passing ? retryAfterMs(headers, nowMs) : undefined
  const message = isPage(headers, answer.held) ? 'an HTML page, perhaps from a proxy' : ''
  const quiet = {
    ...refusal,
    // A 401 is not about our token if none was sent, as after a redirect to the API.
    status: status === 401 ? 403 : status,
    body: { code: deleted ? body.code : undefined, message, details: [] },
  }
  if (waitMs !== undefined)
    return serviceError(quiet, { kind: 'wait', untilMs: nowMs + waitMs, scope: 'rate' })
  return serviceError(quiet, { kind: passing ? 'backoff' : 'never' })
}

/** Returns the error in a 200 whose small body has only error fields, among them a code and a message. */
function errorInside({ held, bytes }: FileAnswer): ErrorBody | undefined {
  if (bytes === 0 || bytes > MOST_ERROR_BYTES || held.length !== bytes) return undefined
  let body: unknown
  try {
    body = JSON.parse(held.toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof body !== 'object' || body === null) return undefined
  const names = Object.keys(body)
  if (!names.every((name) => ERROR_FIELDS.has(name))) return undefined
  const fields = readErrorBody(held)
  return fields.code !== undefined && fields.code !== '0' && 'message' in body ? fields : undefined
}

function noFile(
  asked: Asked,
  answer: FileAnswer,
  no: { came: string; retryable: boolean; code?: string },
) {
  const { came, retryable, code = 'unexpected_file' } = no
  return new TransportError(code, retryable, {
    tried: tried(asked.operation),
    expected: 'HTTP 200 with a file',
    came: `${came}${trackingNote(answer.headers)}`,
    todo: "nothing: the next run tries again; if it repeats, contact the service's support",
  })
}

function otherLength({ operation, bytes }: Asked, answer: FileAnswer): TransportError {
  return new TransportError('wrong_length', true, {
    tried: tried(operation),
    came: `the file has ${answer.bytes} bytes, but the service lists ${bytes}${trackingNote(answer.headers)}`,
    todo: AGAIN,
  })
}

function unknownLength({ operation }: Asked, { headers }: FileAnswer): TransportError {
  return new TransportError('length_unknown', true, {
    tried: tried(operation),
    came: `the answer does not state the file's length, so it may be incomplete${trackingNote(headers)}`,
    todo: AGAIN,
  })
}

/** The error code of a complete answer that is not a file. */
const NO_FILE = 'no_file'
/** The error code of an HTML page in place of a file. */
export const PAGE_OF_HTML = 'page_for_file'
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const ERROR_FIELDS = new Set(['code', 'message', 'errors', 'reason', 'status'])
