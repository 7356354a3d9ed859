import type { Observer } from '../../core/define/observer.ts'
import { duration } from '../frame/output.ts'

/** Why nothing moves while a call is tried again; undefined for every other event. */
export function retryRemark(...[name, fields]: Parameters<Observer['event']>): string | undefined {
  if (name !== 'api.failed' || fields.again !== true) return undefined
  const { operation, code, reason = code, wait_ms: waitMs } = fields
  return `${operation}: ${reason}, trying again in ${duration(Number(waitMs))}`
}
