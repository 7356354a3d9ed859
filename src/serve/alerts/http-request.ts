import { Client, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { isLoopbackHost } from '../../config/loopback.ts'
import { ConfigurationError, DeliveryError } from '../../core/errors.ts'
import type { Proxy } from '../../core/values/proxy.ts'
import { type Patience, withinTime } from './within-time.ts'

/** One request to an address that is a secret. Errors contain at most its protocol. */
export interface SecretRequest {
  /** The action and its setting, for errors. */
  tried: string
  /** The setting of the address. */
  setting: string
  address: string
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: string
  /** The proxy. Loopback addresses and the proxy's own exceptions are called directly. */
  proxy?: Proxy | undefined
}

/**
 * Sends a request and resolves if the response is 2xx. Any other response is an error with its status.
 * Redirects are not followed, because only the configured address may receive the content.
 */
export async function sendRequest(request: SecretRequest, patience: Patience): Promise<void> {
  const url = checkedUrl(request)
  const { tried, method, headers, body } = request
  const client = openClient(url, request.proxy, patience.timeoutMs)
  try {
    const status = await withinTime(
      patience,
      () => late(tried, patience.timeoutMs),
      async (signal) => {
        const path = `${url.pathname}${url.search}`
        const sent = { origin: url.origin, method, path, headers, body: body ?? null, signal }
        const answer = await client.request(sent)
        // Discards the response's body, which may be endless.
        answer.body.on('error', () => {}).destroy()
        return answer.statusCode
      },
    )
    if (status < 200 || status > 299) throw refused(tried, status)
  } catch (error) {
    throw error instanceof DeliveryError || patience.signal?.aborted === true
      ? error
      : connectionFault(tried, error)
  } finally {
    await client.destroy()
  }
}

function openClient(url: URL, proxy: Proxy | undefined, timeout: number): Dispatcher {
  // Set explicitly, so that no environment variable can turn off the check of certificates.
  const connect = { rejectUnauthorized: true, timeout }
  const unhurried = { connect, headersTimeout: 0, bodyTimeout: 0 }
  if (proxy === undefined || isLoopbackHost(url.hostname)) return new Client(url.origin, unhurried)
  return new EnvHttpProxyAgent({
    ...unhurried,
    httpProxy: '',
    httpsProxy: proxy.address,
    noProxy: proxy.except,
    requestTls: connect,
    proxyTls: connect,
  })
}

function checkedUrl({ tried, setting, address }: SecretRequest): URL {
  const url = URL.parse(address)
  const bare = url !== null && url.username === '' && url.password === ''
  const safe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (bare && safe) return url
  throw new ConfigurationError('insecure_address', {
    tried,
    expected: 'an https URL without a user name or password (http only for this machine)',
    came:
      url === null
        ? 'the value is not a URL'
        : bare
          ? `the protocol of the URL is ${url.protocol}`
          : 'the URL contains a user name or password',
    todo: `correct ${setting}`,
  })
}

function refused(tried: string, status: number): DeliveryError {
  const redirect = status >= 300 && status < 400
  return new DeliveryError('delivery_refused', status === 429 || status >= 500, {
    tried,
    expected: 'HTTP 2xx',
    came: redirect
      ? `the receiver answered HTTP ${status}, a redirect, which Callsheet does not follow`
      : `the receiver answered HTTP ${status}`,
    todo:
      status === 429 || status >= 500
        ? "if this continues, check the receiver's own log"
        : 'check the address and its credentials, and that the receiver accepts this message format',
  })
}

function late(tried: string, timeoutMs: number): DeliveryError {
  return new DeliveryError('delivery_late', true, {
    tried,
    came: `the receiver did not answer within ${timeoutMs / 1000} s`,
    todo: 'check that the receiver is running and can be reached from this machine',
  })
}

/** Describes a network error by its code, name or proxy status, because its text may contain the host. */
function connectionFault(tried: string, error: unknown): DeliveryError {
  const { code, name, message } = error as NodeJS.ErrnoException
  const status = /^Proxy response \((\d{3})\)/.exec(message)?.[1]
  if (status !== undefined)
    return new DeliveryError('delivery_unreachable', true, {
      tried,
      came: `the proxy in HTTPS_PROXY answered HTTP ${status}`,
      todo: 'allow the host in the proxy, or correct HTTPS_PROXY or NO_PROXY',
    })
  return new DeliveryError('delivery_unreachable', true, {
    tried,
    came: `the connection failed (${code ?? name})`,
    todo: 'check the address, the certificate of the receiver, and that this machine can reach it',
  })
}
