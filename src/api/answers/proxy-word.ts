import { TransportError } from '../../core/errors.ts'
import { type Answer, header, retryAfterMs, trackingNote } from './headers.ts'

/**
 * Returns an error if a proxy answered instead of the service: with an HTML page in place of JSON, or with a
 * status that only proxies send. Such an answer proves nothing about the account, its permissions or its
 * records.
 */
export function proxyWord(
  tried: string,
  { status, headers, body }: Answer,
  nowMs: number,
): TransportError | undefined {
  if (OF_PROXIES.has(status)) return proxyRefused(tried, status, trackingNote(headers))
  if (!PAGES.has(status) || !isPage(headers, body)) return undefined
  if (status === 403) return proxyRefused(tried, status, ` and a page${trackingNote(headers)}`)
  // With a Retry-After the answer is treated as the service's, so that its wait is respected.
  if (retryAfterMs(headers, nowMs) !== undefined) return undefined
  return new TransportError('proxy', true, {
    tried,
    expected: 'an answer of the service',
    came: `HTTP ${status} and a page, as a proxy or gateway sends it${trackingNote(headers)}`,
    todo: 'try again later; if it stays, ask who runs the network or the service',
  })
}

export function proxyRefused(tried: string, status: number, more = ''): TransportError {
  return new TransportError(status >= 500 && status !== 511 ? 'proxy' : PROXY_REFUSED, true, {
    tried,
    expected: 'an answer of the service',
    came: `a proxy or firewall on the way answered HTTP ${status}${more}`,
    todo:
      status === 407
        ? 'put the user name and password that the proxy wants into HTTPS_PROXY'
        : 'have the host allowed at the proxy, or see that HTTPS_PROXY and NO_PROXY are right',
  })
}

/** Returns true if a body is HTML. */
export function isPage(headers: Answer['headers'], body: Buffer): boolean {
  const type = header(headers, 'content-type') ?? ''
  return (
    /\bhtml\b/i.test(type) ||
    /^\s*<(?:!doctype html|html[\s>])/i.test(body.toString('latin1', 0, 64))
  )
}

/** The code of a refusal by a proxy. */
export const PROXY_REFUSED = 'proxy_refused'
/** A proxy that requires a password, or a network that requires a login. */
const OF_PROXIES = new Set([407, 511])
const PAGES = new Set([403, 502, 503, 504])
