import type { Operation } from '../../src/core/define/operation.ts'
import { hash } from '../base/random.ts'

export type FaultKind =
  | 'status'
  | 'html'
  | 'broken-json'
  | 'truncated'
  | 'reset'
  | 'slow'
  | 'rate-limited'
  | 'daily-limit'
  | 'invalid-token'
  | 'error-in-200'
  | 'empty-list'
  | 'redirect'
  | 'redirect-away'
  | 'dead-address'
  | 'missing-file'
  | 'empty-file'
  | 'address-for-file'
  | 'endless'
  | 'shorter'
  | 'no-length'
  | 'cut-no-length'

export interface FaultRule {
  kind: FaultKind
  /** The only affected operation; default: all. */
  operation?: string
  /** Affects only calls with this text in a path parameter or in the value of a query parameter. */
  about?: string
  /** The number of affected calls; default: no limit. */
  count?: number
  /** The number of calls that pass first. */
  after?: number
  /** The probability per call; default: 1. */
  probability?: number
  /** The status for `status`; default: 500. */
  status?: number
  /** The delay for `slow`. */
  delayMs?: number
  /** The target for `redirect-away`. */
  location?: string
}

export interface Fault {
  kind: FaultKind
  status: number
  delayMs: number
  location: string
}

export interface FaultPlan {
  set(rules: readonly FaultRule[]): void
  rules(): readonly FaultRule[]
  /** Returns the fault of this call, if any. */
  strike(operation: Operation, values: Iterable<string>): Fault | undefined
}

/**
 * Makes seeded faults by rule, or by a sentinel such as `fault:reset` or `fault:503` as the value of a path
 * parameter or of a query parameter.
 */
export function makeFaults(seed: number): FaultPlan {
  let rules: FaultRule[] = []
  let drawn = 0
  return {
    set(given) {
      rules = given.map((rule) => ({ ...rule }))
    },
    rules: () => rules,
    strike(operation, values) {
      for (const value of values) if (value.startsWith('fault:')) return sentinel(value.slice(6))
      for (const rule of rules) {
        if (rule.operation !== undefined && rule.operation !== operation.id) continue
        const { about } = rule
        if (about !== undefined && ![...values].some((value) => value.includes(about))) continue
        if (rule.after !== undefined && rule.after > 0) {
          rule.after--
          continue
        }
        if (rule.count === 0) continue
        if (hash(seed, 0xfa17, drawn++) / 2 ** 32 >= (rule.probability ?? 1)) continue
        if (rule.count !== undefined) rule.count--
        return { ...USUAL, ...rule }
      }
      return undefined
    },
  }
}

function sentinel(name: string): Fault {
  if (/^\d{3}$/.test(name)) return { ...USUAL, kind: 'status', status: Number(name) }
  const slow = /^slow:(\d+)$/.exec(name)?.[1]
  if (slow !== undefined) return { ...USUAL, kind: 'slow', delayMs: Number(slow) }
  return { ...USUAL, kind: name as FaultKind }
}

const USUAL = { status: 500, delayMs: 1_000, location: '/' }
