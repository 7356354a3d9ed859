import type { OpenPool } from '../api/call/origin-pool.ts'
import { poolsThrough } from '../api/call/proxied-pool.ts'
import { environment, proxyOf } from '../config/environment.ts'

/** How the service, its authorization server and its files are reached from here. */
export function openPools(): OpenPool {
  return poolsThrough(proxyOf(environment()))
}
