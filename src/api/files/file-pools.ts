import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { type OpenPool, openPool } from '../call/pools.ts'
import { checkAddress, type UrlPolicy } from '../call/url-policy.ts'

export interface FilePoolsOptions {
  policy: UrlPolicy
  connectTimeoutMs: number
  connections: number
  openPool?: OpenPool | undefined
  /** The default is the system's resolver. */
  resolve?: Resolve | undefined
}

/** Finds all addresses of a host, like `dns.lookup` with `all`. */
export type Resolve = (
  hostname: string,
  answer: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void

export interface FilePools {
  of(url: URL): Dispatcher
  close(): Promise<void>
}

/**
 * Connections for files, by origin. Each connects only to addresses that were checked, even if the name
 * resolves to others later.
 */
export function createFilePools(options: FilePoolsOptions): FilePools {
  const pools = new Map<string, Dispatcher>()
  const open = options.openPool ?? openPool
  const { connectTimeoutMs, connections } = options
  const pinned = pinnedLookup(options.policy, options.resolve ?? resolveBySystem)
  return {
    of({ origin }) {
      let pool = pools.get(origin)
      if (pool === undefined) {
        pool = open(origin, { connectTimeoutMs, connections, lookup: pinned })
        pools.set(origin, pool)
      }
      return pool
    },
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  }
}

/** Refuses a name if any of its addresses is private, because we do not choose which one is used. */
function pinnedLookup(policy: UrlPolicy, resolve: Resolve): LookupFunction {
  return (hostname, options, answer) =>
    resolve(hostname, (error, addresses) => {
      if (error !== null) return answer(error, [])
      try {
        for (const { address } of addresses) checkAddress(policy, address)
      } catch (refusal) {
        return answer(refusal as Error, [])
      }
      const [first] = addresses
      if (options.all === true) answer(null, addresses)
      else answer(null, first?.address ?? '', first?.family)
    })
}

const resolveBySystem: Resolve = (hostname, answer) =>
  lookup(hostname, { all: true }, (error, addresses) => answer(error, addresses))
