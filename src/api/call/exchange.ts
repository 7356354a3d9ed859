import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { Words } from '../../core/define/own-words.ts'
import { neutralHeaders } from '../../core/records/translate.ts'
import type { Clock } from '../../core/time/clock.ts'
import { whenAborted } from '../../core/waiting.ts'
import { type Answer, type AnswerHeaders, header } from '../answers/headers.ts'
import {
  cutShort,
  type Exchanged,
  networkFault,
  timedOut,
  tooLarge,
  wrongEncoding,
} from '../answers/transport-faults.ts'

interface ExchangeRequest {
  /** The purpose of this exchange for error messages, without personal data. */
  tried: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal | undefined
  /** Called when the request goes out on an open connection, which is when the service counts it. */
  onSent?: (() => void) | undefined
}

/** The connections for a request, and the clock for its time limits. */
export interface Connection {
  pool: Dispatcher
  clock: Clock
  /** The words of a service that has header names of its own. */
  words?: Words | undefined
}

export interface ExchangeLimits {
  headersTimeoutMs: number
  totalTimeoutMs: number
  maxBodyBytes: number
}

/**
 * Sends one request and returns its whole answer, whatever its status. Rejects with a TransportError if the
 * answer is not complete: network faults, time limits, and bodies that are too large, cut short or wrongly
 * encoded. An abort rejects with the signal's reason.
 */
export async function exchange(
  connection: Connection,
  request: ExchangeRequest,
  limits: ExchangeLimits,
): Promise<Answer> {
  const received = await receive(connection, request, limits)
  const { tried } = request
  const { headers, body } = received
  return { ...received, body: await decode(body, { tried, headers }, limits.maxBodyBytes) }
}

function receive(
  { pool, clock, words }: Connection,
  request: ExchangeRequest,
  limits: ExchangeLimits,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let stopped: Error | undefined
    const stop = (reason: Error): void => {
      stopped ??= reason
      controller?.abort(reason)
      settle(() => reject(stopped))
    }
    const onAbort = (): void => stop(request.signal?.reason as Error)
    let inTime = (): void => {}
    let stopListening = (): void => {}
    const settle = (finish: () => void): void => {
      inTime()
      stopListening()
      finish()
    }
    if (request.signal?.aborted === true) return onAbort()
    stopListening = whenAborted(request.signal, onAbort)
    inTime = clock.alarm(limits.totalTimeoutMs, () =>
      stop(timedOut(request.tried, limits.totalTimeoutMs)),
    )
    const options = {
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body ?? null,
      headersTimeout: limits.headersTimeoutMs,
      bodyTimeout: limits.totalTimeoutMs,
    }
    pool.dispatch(options, {
      ...collect({ tried: request.tried, words }, limits.maxBodyBytes, (answer) =>
        settle(() => (answer instanceof Error ? reject(answer) : resolve(answer))),
      ),
      onRequestStart: (started) => {
        controller = started
        if (stopped === undefined) request.onSent?.()
        else started.abort(stopped)
      },
      onResponseError: (_controller, error) =>
        settle(() => reject(networkFault(request.tried, error))),
    })
  })
}

function collect(
  { tried, words }: { tried: string; words: Words | undefined },
  maxBodyBytes: number,
  done: (answer: Answer | Error) => void,
): Pick<Dispatcher.DispatchHandler, 'onResponseStart' | 'onResponseData' | 'onResponseEnd'> {
  let status = 0
  let headers: AnswerHeaders = {}
  let due: number | undefined
  let bytes = 0
  // A body of a known length up to 8 MiB gets its own buffer, so that each piece can be freed at once.
  let whole: Buffer | undefined
  const pieces: Buffer[] = []
  return {
    onResponseStart: (_controller, statusCode, received) => {
      status = statusCode
      headers = neutralHeaders(words, received)
      const length = header(headers, 'content-length')
      due = length === undefined || status === 304 ? undefined : Number(length)
      if (due !== undefined && due >= 0 && due <= MOST_AHEAD_BYTES)
        whole = Buffer.allocUnsafeSlow(due)
    },
    onResponseData: (controller, piece) => {
      if (whole === undefined) pieces.push(piece)
      else piece.copy(whole, Math.min(bytes, whole.length))
      bytes += piece.length
      if (bytes > maxBodyBytes) controller.abort(tooLarge({ tried, headers }, maxBodyBytes))
    },
    onResponseEnd: () => {
      if (due !== undefined && due !== bytes)
        done(cutShort({ tried, headers }, `the answer ended after ${bytes} of ${due} bytes`))
      else done({ status, headers, body: whole ?? Buffer.concat(pieces) })
    },
  }
}

/**
 * Decodes gzip, deflate and Brotli, although only gzip is requested. A `content-encoding` that names no
 * encoding, such as a character set, is ignored, and so is gzip if the body is plainly JSON.
 */
async function decode(
  body: Buffer,
  exchanged: Exchanged,
  maxOutputLength: number,
): Promise<Buffer> {
  if (body.length === 0) return body
  const named = namedEncodings(exchanged.headers)
  const zipped = body[0] === 0x1f && body[1] === 0x8b
  const [encoding = zipped ? 'gzip' : 'none', ...more] = named
  if (more.length > 0) throw wrongEncoding(exchanged)
  const gzip = encoding === 'gzip' || encoding === 'x-gzip'
  if (encoding === 'none' || (gzip && !zipped && JSON_BEGINS.test(body.toString('latin1', 0, 64))))
    return body
  const unpack = UNPACK[encoding]
  if (unpack === undefined) throw wrongEncoding(exchanged)
  try {
    return await unpack(body, { maxOutputLength })
  } catch (error) {
    const tooMuch = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    if (tooMuch) throw tooLarge(exchanged, maxOutputLength)
    if (!gzip) throw wrongEncoding(exchanged)
    throw cutShort(exchanged, 'the gzip body is truncated or corrupt')
  }
}

/** Returns the encodings that `content-encoding` names, in lower case, without unknown names. */
export function namedEncodings(headers: AnswerHeaders): string[] {
  return (header(headers, 'content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => ENCODINGS.has(name))
}

type Unpack = (body: Buffer, options: object) => Promise<Buffer>

const unzip = promisify(gunzip) as Unpack

/** The largest buffer allocated for a stated length, which may be wrong. */
const MOST_AHEAD_BYTES = 8 * 2 ** 20

const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: unzip,
  'x-gzip': unzip,
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}
/** Known encodings. Those that cannot be decoded are refused, so that they are not read as plain text. */
const ENCODINGS = new Set([
  ...Object.keys(UNPACK),
  ...'compress x-compress zstd dcb dcz bzip2 x-bzip2 xz lzma lz4 snappy exi pack200-gzip'.split(
    ' ',
  ),
])
const JSON_BEGINS = /^(?:\u00ef\u00bb\u00bf)?\s*[[{n"]/
