import type { LookupFunction } from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import { isLoopbackHost } from '../../config/loopback.ts'
import { ConfigurationError } from '../../core/errors.ts'

export interface PoolOptions {
  connectTimeoutMs: number
  /** At least the sum of the labels' concurrency, so that no call waits unnoticed for a connection. */
  connections: number
  /** Resolves names; the system's resolver if not given. */
  lookup?: LookupFunction
}

/** Allows a transport other than the network. It must not reuse the buffers of a body that it hands on. */
export type OpenPool = (url: string, options: PoolOptions) => Dispatcher

/** The connections to one origin. */
export function openPool(address: string, options: PoolOptions): Dispatcher {
  return new Pool(safeUrl(address).origin, {
    connections: options.connections,
    pipelining: 1,
    // One connection per active call: the buffer of a piece then belongs to this answer alone.
    allowH2: false,
    // Set here, so that no environment variable can turn off the check of certificates.
    connect: {
      timeout: options.connectTimeoutMs,
      rejectUnauthorized: true,
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    },
  })
}

/** Connections carry tokens, so plain HTTP is for loopback addresses alone. */
export function safeUrl(address: string): URL {
  const url = new URL(address)
  const { protocol, hostname, username, password } = url
  const bare = username === '' && password === ''
  if (bare && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))))
    return url
  throw new ConfigurationError('insecure_address', {
    tried: `connecting to ${protocol}//${hostname}`,
    expected: 'an https address without a user name (http only for localhost)',
    came: bare ? protocol : 'a user name in the address',
    todo: 'correct the address in the configuration',
  })
}
