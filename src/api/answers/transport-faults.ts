import { TransportError } from '../../core/errors.ts'
import { type AnswerHeaders, trackingNote } from './headers.ts'
import { proxyRefused } from './proxy-fault.ts'

/** The failed request, and the headers received before the fault. */
export interface Exchanged {
  tried: string
  headers: AnswerHeaders
}

/** Describes a network error by its code, never by its text; returns TransportErrors and aborts unchanged. */
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
    came: `${ENDED[code] ?? 'the connection failed'} (${code}${whereTo(error)})`,
    todo: tls ?? (code.startsWith('HPE_') ? NO_HTTP : CHECK_THE_WAY),
    cause: error,
  })
}

/** Returns true if the error's code proves that no connection was made. False for timeouts. */
export function neverConnected(error: unknown): boolean {
  if (!(error instanceof TransportError)) return false
  return NO_CONNECTION.has((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '')
}

const NO_CONNECTION: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Plain text for undici's codes of a failed connection. */
const ENDED: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the server did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'the server stopped sending in the middle of its answer',
  UND_ERR_SOCKET: 'the server closed the connection',
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
    came: `the answer was not complete after ${totalTimeoutMs / 1000} s`,
    todo: AGAIN,
  })
}

export function tooSlow(tried: string, leastBytesPerSecond: number): TransportError {
  return new TransportError('too_slow', true, {
    tried,
    came: `fewer than ${leastBytesPerSecond} bytes a second arrived for 30 seconds`,
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
    came: `the file was not complete after ${mostMs / 60_000} minutes (${bytes} bytes received)`,
    todo: 'check how fast the network and the host of the file are',
  })
}

export function tooLong(tried: string, mostBytes: number): TransportError {
  return new TransportError('wrong_length', true, {
    tried,
    came: `the answer is longer than ${mostBytes} bytes`,
    todo: AGAIN,
  })
}

export function tooManyRedirects(tried: string, most: number): TransportError {
  return new TransportError('too_many_redirects', false, {
    tried,
    came: `the server redirected more than ${most} times`,
    todo: "contact the service's support and quote this message",
  })
}

export function tooLarge({ tried, headers }: Exchanged, maxBodyBytes: number): TransportError {
  return new TransportError('body_too_large', false, {
    tried,
    came: `the answer is larger than ${maxBodyBytes} bytes after decoding${trackingNote(headers)}`,
    todo: 'request smaller pages',
  })
}

export function cutShort({ tried, headers }: Exchanged, came: string): TransportError {
  return new TransportError('truncated_body', true, {
    tried,
    came: `${came}${trackingNote(headers)}`,
    todo: AGAIN,
  })
}

export function wrongEncoding({ tried, headers }: Exchanged): TransportError {
  return new TransportError('wrong_encoding', false, {
    tried,
    expected: 'content-encoding gzip or none',
    came: `the answer uses an encoding that was not requested${trackingNote(headers)}`,
    todo: "check whether a proxy changes the encoding; otherwise contact the service's support",
  })
}

/** Advice on a failed handshake, by its error code; undefined for other errors. */
function tlsAdvice(code: string): string | undefined {
  return ADVICE.find(([codes]) => codes.test(code))?.[1]
}

/** Advice for faults that usually pass. */
export const AGAIN =
  'run again; if it repeats, check the network between this machine and that host'
const CHECK_THE_WAY =
  'check that the address is right and reachable from this machine; behind a proxy, also check ' +
  'HTTPS_PROXY and NO_PROXY'
const NO_HTTP = 'check the address: the server there does not speak HTTP/1.1, which Callsheet needs'
/** The error code of a host name that cannot be resolved: it rarely resolves a minute later. */
export const NO_SUCH_HOST = 'no_such_host'

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /NO_APPLICATION_PROTOCOL/,
    'turn on HTTP/1.1 at the server, the only version that Callsheet supports, or put a proxy in front ' +
      'of it that accepts HTTP/1.1; nothing was sent',
  ],
  [
    /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW|INAPPROPRIATE_FALLBACK/,
    "check the server's certificate and TLS: Callsheet needs TLS 1.2 or later; nothing was sent",
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/,
    'check the port of the address: the server there does not use TLS; nothing was sent',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "check the server's certificate and the clock of this machine; nothing was sent",
  ],
  [
    /CERTIFICATE_REQUIRED/,
    'turn off client certificates at the server: Callsheet has none; nothing was sent',
  ],
  [
    /CERT|TLS|SSL|SIGNATURE|SELF_SIGNED|EPROTO|UNABLE_TO|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MIS/,
    "check the server's certificate and the host name in it; nothing was sent",
  ],
]
