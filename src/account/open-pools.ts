import { type OpenPool, poolsThrough } from '../api/call/pools.ts'
import { environment, proxyOf } from '../config/environment.ts'

/** How the service, its authorization server and its files are reached from here. */
export function openPools(): OpenPool {
  return poolsThrough(proxyOf(environment()))
}
