import { TransportError } from '../../core/errors.ts'
import { type Answer, header, retryAfterMs, trackingNote } from './headers.ts'

/**
 * Returns an error if a proxy answered instead of the service: with status 407 or 511, or with an HTML page
 * and status 403, 502, 503 or 504. Such an answer proves nothing about the account, its permissions or its
 * records.
 */
export function proxyFault(
  tried: string,
  { status, headers, body }: Answer,
  nowMs: number,
): TransportError | undefined {
  if (OF_PROXIES.has(status)) return proxyRefused(tried, status, trackingNote(headers))
  if (!PAGES.has(status) || !isPage(headers, body)) return undefined
  if (status === 403)
    return proxyRefused(tried, status, ` with an HTML page${trackingNote(headers)}`)
  // A 502, 503 or 504 with a Retry-After is treated as the service's, so that its wait is respected.
  if (retryAfterMs(headers, nowMs) !== undefined) return undefined
  return new TransportError('proxy', true, {
    tried,
    came: `a proxy or gateway answered HTTP ${status} with an HTML page${trackingNote(headers)}`,
    todo: "run again later; if it repeats, contact your network administrator or the service's support",
  })
}

export function proxyRefused(tried: string, status: number, more = ''): TransportError {
  return new TransportError(status >= 500 && status !== 511 ? 'proxy' : PROXY_REFUSED, true, {
    tried,
    came: `a proxy or firewall answered HTTP ${status}${more}`,
    todo:
      status === 407
        ? 'add the user name and password of the proxy to HTTPS_PROXY'
        : 'allow the host at the proxy, or correct HTTPS_PROXY and NO_PROXY',
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

export const PROXY_REFUSED = 'proxy_refused'
/** The statuses of a proxy that requires a password, and of a network that requires a login. */
const OF_PROXIES = new Set([407, 511])
const PAGES = new Set([403, 502, 503, 504])
