import type { LookupFunction } from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import { ConfigurationError } from '../../core/errors/errors.ts'

export interface PoolOptions {
  connectTimeoutMs: number
  /** At least the sum of the labels' concurrency, so that a call never waits for a connection unseen. */
  connections: number
  /** Says which addresses a name has; the system's resolver where none is given. */
  lookup?: LookupFunction
}

/** The seam for a transport that is no network; what it hands on of a body is given away for good. */
export type OpenPool = (url: string, options: PoolOptions) => Dispatcher

/** The connections to one origin. Tokens travel over them: plain HTTP is for loopback addresses alone. */
export function openPool(url: string, options: PoolOptions): Dispatcher {
  const { protocol, hostname, origin, username, password } = new URL(url)
  const bare = username === '' && password === ''
  if (!bare || (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))) {
    throw new ConfigurationError('insecure_address', {
      tried: `connecting to ${protocol}//${hostname}`,
      expected: 'an https address without a user name (http only for localhost)',
      came: bare ? protocol : 'a user name in the address',
      todo: 'correct the address in the configuration',
    })
  }
  return new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    // A connection for each call under way: what a piece was read into is this answer's alone.
    allowH2: false,
    // Said here, so that no variable of the environment can turn the check of certificates off.
    connect: {
      timeout: options.connectTimeoutMs,
      rejectUnauthorized: true,
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    },
  })
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
