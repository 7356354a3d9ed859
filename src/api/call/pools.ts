import type { LookupFunction } from 'node:net'
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import { isLoopbackHost } from '../../config/loopback.ts'
import { CallsheetError, ConfigurationError } from '../../core/errors.ts'
import type { Proxy } from '../../core/values/proxy.ts'

interface PoolOptions {
  connectTimeoutMs: number
  /** The maximum number of connections; for the API at least the labels' total concurrency. */
  connections: number
  /** Resolves names; the default is the system's resolver. */
  lookup?: LookupFunction
}

/** Opens connections. A test's own transport must not reuse the buffers of a body that it passes on. */
export type OpenPool = (url: string, options: PoolOptions) => Dispatcher

/** The connections to one origin. */
export function openPool(address: string, options: PoolOptions): Dispatcher {
  return new Pool(safeUrl(address).origin, {
    connections: options.connections,
    pipelining: 1,
    // One connection per active call: a buffer then belongs to one answer only.
    allowH2: false,
    // `rejectUnauthorized` is set here, so that no environment variable can disable certificate checks.
    connect: {
      timeout: options.connectTimeoutMs,
      rejectUnauthorized: true,
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    },
  })
}

/** Connections carry tokens, so plain HTTP is allowed only for loopback addresses. */
function safeUrl(address: string): URL {
  const url = new URL(address)
  const { protocol, hostname, username, password } = url
  const bare = username === '' && password === ''
  if (bare && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))))
    return url
  throw new ConfigurationError('insecure_address', {
    tried: `Connecting to ${protocol}//${hostname}`,
    expected: 'an https address without a user name (http only for localhost)',
    came: bare ? `the address begins with ${protocol}` : 'the address contains a user name',
    todo: 'correct the address in the configuration',
  })
}

/** Opens connections through the proxy, if there is one; loopback addresses never use it. */
export function poolsThrough(proxy: Proxy | undefined): OpenPool {
  if (proxy === undefined) return openPool
  return (address, options) => {
    const url = safeUrl(address)
    return isLoopbackHost(url.hostname) ? openPool(address, options) : tunnel(url, proxy, options)
  }
}

/**
 * Opens TLS to the origin through the proxy, which sees only the host's name. All proxy settings are passed,
 * because the agent would otherwise read the environment again.
 */
function tunnel(
  { origin, hostname }: URL,
  proxy: Proxy,
  { connectTimeoutMs: timeout, connections, lookup }: PoolOptions,
): Dispatcher {
  const tls = { timeout, rejectUnauthorized: true }
  const agent = new EnvHttpProxyAgent({
    httpProxy: '',
    httpsProxy: proxy.address,
    noProxy: proxy.except,
    connections,
    pipelining: 1,
    allowH2: false,
    connect: { ...tls, ...(lookup === undefined ? {} : { lookup }) },
    requestTls: tls,
    proxyTls: tls,
    clientFactory: (to, options) => new Pool(to, { ...options, headersTimeout: timeout }),
  })
  return agent.compose((dispatch) => (request, handler) => {
    const go = (): boolean => dispatch({ ...request, origin }, handler)
    if (lookup === undefined) return go()
    refusedAddress(hostname, lookup, (refusal) => {
      if (refusal === undefined) go()
      else handler.onResponseError?.(NOTHING_SENT, refusal)
    })
    return true
  })
}

/**
 * Checks the addresses to which the name resolves here, although the proxy resolves it again. If the name
 * does not resolve here, only the proxy decides where it leads.
 */
function refusedAddress(
  hostname: string,
  lookup: LookupFunction,
  done: (refusal: CallsheetError | undefined) => void,
): void {
  lookup(hostname, { all: true }, (error) =>
    done(error instanceof CallsheetError ? error : undefined),
  )
}

const NOTHING_SENT: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort() {},
  pause() {},
  resume() {},
}
