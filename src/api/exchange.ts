import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Dispatcher, Pool } from 'undici'
import { TransportError } from '../core/errors.ts'

export interface ExchangeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal | undefined
  /** Called when the request goes out on an open connection: what the service's limiter sees, not our start. */
  onSent?: (() => void) | undefined
}

export interface Answer {
  status: number
  headers: AnswerHeaders
  /** Decoded; at most `maxBodyBytes`. */
  body: Buffer
}
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface ExchangeLimits {
  headersTimeoutMs: number
  totalTimeoutMs: number
  maxBodyBytes: number
}

/**
 * One request and its whole answer. Rejects with a TransportError for everything that is not a complete answer:
 * network faults, time limits, bodies that are too large, cut short or wrongly encoded. Statuses are not judged.
 */
export async function exchange(
  pool: Pool,
  request: ExchangeRequest,
  limits: ExchangeLimits,
): Promise<Answer> {
  const received = await receive(pool, request, limits)
  const encoding = header(received.headers, 'content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '' || received.body.length === 0) return received
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new TransportError('wrong_encoding', false, {
      tried: `reading the answer to ${request.method}`,
      expected: 'content-encoding gzip or none',
      came: `an encoding that was not asked for`,
    })
  }
  return { ...received, body: await decode(received.body, limits.maxBodyBytes) }
}

export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

function receive(pool: Pool, request: ExchangeRequest, limits: ExchangeLimits): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let stopped: Error | undefined
    const stop = (reason: Error): void => {
      stopped ??= reason
      controller?.abort(reason)
      settle(() => reject(stopped as Error))
    }
    const timer = setTimeout(() => stop(timedOut(limits)), limits.totalTimeoutMs)
    const onAbort = (): void => stop(request.signal?.reason as Error)
    const settle = (finish: () => void): void => {
      clearTimeout(timer)
      request.signal?.removeEventListener('abort', onAbort)
      finish()
    }
    if (request.signal?.aborted === true) return onAbort()
    request.signal?.addEventListener('abort', onAbort, { once: true })
    const options = {
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body ?? null,
      headersTimeout: limits.headersTimeoutMs,
      bodyTimeout: limits.totalTimeoutMs,
    }
    pool.dispatch(options, {
      ...collect(limits.maxBodyBytes, (answer) =>
        settle(() => (answer instanceof Error ? reject(answer) : resolve(answer))),
      ),
      onRequestStart: (started) => {
        controller = started
        if (stopped === undefined) request.onSent?.()
        else started.abort(stopped)
      },
      onResponseError: (_controller, error) => settle(() => reject(networkError(error))),
    })
  })
}

function collect(
  maxBodyBytes: number,
  done: (answer: Answer | Error) => void,
): Pick<Dispatcher.DispatchHandler, 'onResponseStart' | 'onResponseData' | 'onResponseEnd'> {
  let status = 0
  let headers: AnswerHeaders = {}
  let bytes = 0
  const chunks: Buffer[] = []
  return {
    onResponseStart: (_controller, statusCode, received) => {
      status = statusCode
      headers = received
    },
    onResponseData: (controller, chunk) => {
      bytes += chunk.length
      if (bytes > maxBodyBytes) controller.abort(tooLarge(maxBodyBytes))
      else chunks.push(chunk)
    },
    onResponseEnd: () => {
      const body =
        chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
      const due = header(headers, 'content-length')
      if (due !== undefined && status !== 304 && Number(due) !== body.length) {
        done(cutShort(`${body.length} of ${Number(due)} bytes`))
      } else done({ status, headers, body })
    },
  }
}

async function decode(body: Buffer, maxBodyBytes: number): Promise<Buffer> {
  try {
    return await unzip(body, { maxOutputLength: maxBodyBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(maxBodyBytes)
    throw cutShort('a gzip body that is cut short or broken')
  }
}

/** Our own errors pass through; undici's and the socket's are named by their code, never by their text. */
function networkError(error: Error): Error {
  if (error instanceof TransportError || error.name === 'AbortError') return error
  const code = (error as NodeJS.ErrnoException).code ?? error.name
  const tls = TLS_FAULT.test(code)
  return new TransportError(tls ? 'tls' : 'network', !tls, {
    tried: 'calling the service',
    came: `the connection failed (${code})`,
    todo: tls
      ? "check the server's certificate and its name; nothing was sent"
      : 'check that the address is right and reachable from here',
    cause: error,
  })
}

function timedOut(limits: ExchangeLimits): TransportError {
  return new TransportError('timeout', true, {
    tried: 'calling the service',
    expected: `a whole answer within ${limits.totalTimeoutMs / 1000} s`,
    came: 'it was not complete by then',
  })
}

function tooLarge(maxBodyBytes: number): TransportError {
  return new TransportError('body_too_large', false, {
    tried: 'reading an answer',
    expected: `at most ${maxBodyBytes} bytes after decoding`,
    came: 'more than that',
    todo: 'ask for smaller pages',
  })
}

function cutShort(came: string): TransportError {
  return new TransportError('truncated_body', true, {
    tried: 'reading an answer',
    expected: 'the whole body',
    came,
  })
}

const unzip = promisify(gunzip) as (body: Buffer, options: object) => Promise<Buffer>
const TLS_FAULT = /CERT|TLS|SSL|SIGNATURE|SELF_SIGNED|EPROTO/
