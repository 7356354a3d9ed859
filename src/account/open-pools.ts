import { type OpenPool, poolsThrough } from '../api/call/pools.ts'
import { environment, proxyOf } from '../config/environment.ts'

/** Opens connections to the service, its authorization server and its files, with the environment's proxy. */
export function openPools(): OpenPool {
  return poolsThrough(proxyOf(environment()))
}
