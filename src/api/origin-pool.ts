import { Pool } from 'undici'
import { ConfigurationError } from '../core/errors.ts'

export interface PoolOptions {
  connectTimeoutMs: number
  /** At least the sum of the labels' concurrency, so that a call never waits for a connection unseen. */
  connections: number
}

/** The connections to one origin. Tokens travel over them: plain HTTP is for loopback addresses alone. */
export function openPool(url: string, options: PoolOptions): Pool {
  const { protocol, hostname, origin, username } = new URL(url)
  if (
    username !== '' ||
    (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
  ) {
    throw new ConfigurationError('insecure_address', {
      tried: `connecting to ${protocol}//${hostname}`,
      expected: 'an https address without a user name (http only for localhost)',
      came: username === '' ? protocol : 'a user name in the address',
      todo: 'correct the address in the configuration',
    })
  }
  return new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    connect: { timeout: options.connectTimeoutMs },
  })
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
