import { TransportError } from '../../core/errors.ts'
import { type AnswerHeaders, trackingNote } from './headers.ts'
import { proxyRefused } from './proxy-word.ts'

/** The failed request, and the headers received before the fault. */
export interface Exchanged {
  tried: string
  headers: AnswerHeaders
}

/** Describes a network error by its code, never by its text; returns our own errors and aborts unchanged. */
export function networkFault(tried: string, error: Error): Error {
  if (error instanceof TransportError) return error
  const status = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1]
  if (status !== undefined) return proxyRefused(tried, Number(status))
  if (error.name === 'AbortError') return error
  const code = (error as NodeJS.ErrnoException).code ?? error.name
  const tls = tlsAdvice(code)
  const kind = tls === undefined ? (code === 'ENOTFOUND' ? NO_SUCH_HOST : 'network') : 'tls'
  return new TransportError(kind, tls === undefined, {
    tried,
    expected: 'an answer over HTTP/1.1',
    came: `${ENDED[code] ?? 'the connection failed'} (${code}${whereTo(error)})`,
    todo: tls ?? (code.startsWith('HPE_') ? NO_HTTP : CHECK_THE_WAY),
    cause: error,
  })
}

/** Plain text for undici's codes of a failed connection. */
const ENDED: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'no connection was made in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped coming',
  UND_ERR_SOCKET: 'the other side closed the connection',
}

/** The host or address in the system's error; if it tried several addresses, the first one. */
function whereTo(error: Error): string {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { hostname, address, port } = one as { [name: string]: unknown }
  if (typeof hostname === 'string') return ` ${hostname}`
  return typeof address === 'string' ? ` ${address}:${String(port)}` : ''
}

export function timedOut(tried: string, totalTimeoutMs: number): TransportError {
  return new TransportError('timeout', true, {
    tried,
    expected: `a whole answer within ${totalTimeoutMs / 1000} s`,
    came: 'it was not complete by then',
    todo: AGAIN,
  })
}

export function tooSlow(tried: string, leastBytesPerSecond: number): TransportError {
  return new TransportError('too_slow', true, {
    tried,
    expected: `at least ${leastBytesPerSecond} bytes a second`,
    came: 'fewer, over half a minute',
    todo: AGAIN,
  })
}

/** Not retryable in this run: another try would take as long. */
export function tooLate(
  tried: string,
  { mostMs, bytes }: { mostMs: number; bytes: number },
): TransportError {
  return new TransportError('file_time_over', false, {
    tried,
    expected: `a whole file within ${mostMs / 60_000} minutes`,
    came: `${bytes} bytes in ${mostMs / 60_000} minutes, and no end`,
    todo: 'see whether the line or the host of the file is that slow',
  })
}

export function tooLong(tried: string, mostBytes: number): TransportError {
  return new TransportError('wrong_length', true, {
    tried,
    expected: `at most ${mostBytes} bytes`,
    came: 'more than that',
    todo: AGAIN,
  })
}

export function tooManyRedirects(tried: string, most: number): TransportError {
  return new TransportError('too_many_redirects', false, {
    tried,
    expected: `at most ${most} redirects`,
    came: 'another one',
    todo: 'ask the service why this address leads on and on',
  })
}

export function tooLarge({ tried, headers }: Exchanged, maxBodyBytes: number): TransportError {
  return new TransportError('body_too_large', false, {
    tried,
    expected: `at most ${maxBodyBytes} bytes after decoding`,
    came: `more than that${trackingNote(headers)}`,
    todo: 'ask for smaller pages',
  })
}

export function cutShort({ tried, headers }: Exchanged, came: string): TransportError {
  return new TransportError('truncated_body', true, {
    tried,
    expected: 'the whole body',
    came: `${came}${trackingNote(headers)}`,
    todo: AGAIN,
  })
}

export function wrongEncoding({ tried, headers }: Exchanged): TransportError {
  return new TransportError('wrong_encoding', false, {
    tried,
    expected: 'content-encoding gzip or none',
    came: `an encoding that was not asked for${trackingNote(headers)}`,
    todo: 'check the proxy, which may change the encoding; else report it to the service',
  })
}

/** Advice on a failed handshake, by its error code; undefined for other errors. */
function tlsAdvice(code: string): string | undefined {
  return ADVICE.find(([codes]) => codes.test(code))?.[1]
}

/** Advice for faults that usually pass. */
export const AGAIN = 'run again; if it repeats, check the network between here and that host'
const CHECK_THE_WAY =
  'check the address, and that it can be reached from here; behind a proxy also HTTPS_PROXY and NO_PROXY'
const NO_HTTP =
  'check the address: what answers there does not speak HTTP/1.1, which is all that Callsheet speaks'
/** A host name that cannot be resolved rarely resolves a minute later. */
export const NO_SUCH_HOST = 'no_such_host'

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /NO_APPLICATION_PROTOCOL/,
    'the server takes no HTTP/1.1, which is all that Callsheet speaks: have HTTP/1.1 turned on beside ' +
      'HTTP/2, or put a proxy before it that speaks both; nothing was sent',
  ],
  [
    /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW|INAPPROPRIATE_FALLBACK/,
    "check the server's certificate and TLS: it has no version from TLS 1.2 on; nothing was sent",
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/,
    'what answers there speaks no TLS: check the port of the address; nothing was sent',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "check the server's certificate, and the clock of this machine; nothing was sent",
  ],
  [
    /CERTIFICATE_REQUIRED/,
    'the server wants a certificate from Callsheet, which has none; nothing was sent',
  ],
  [
    /CERT|TLS|SSL|SIGNATURE|SELF_SIGNED|EPROTO|UNABLE_TO|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MIS/,
    "check the server's certificate and its name; nothing was sent",
  ],
]
