import type { DatabaseFault, DatabaseRequest } from './database-request.ts'
import { HTTP_FAULTS, type HttpFault } from './http-faults.ts'
import type { HttpExchange } from './http-line.ts'
import type { DatabaseFaultClass, FaultClass, Plan } from './plan.ts'
import { Random } from './random.ts'

/**
 * Throws a plan's faults. Each class has dice of its own, so that a plan without one of them keeps the
 * others' throws; a class can strike a number of times, so that every seed comes to an end.
 */
export class FaultDice {
  readonly fired: Partial<Record<FaultClass, number>> = {}
  stopped = false
  readonly #plan: Plan
  readonly #dice = new Map<FaultClass, Random>()

  constructor(plan: Plan) {
    this.#plan = plan
  }

  http({ path }: HttpExchange): HttpFault | undefined {
    const token = path.startsWith('/oauth/')
    const paged = path.includes('next_page_token=')
    for (const name of Object.keys(HTTP_FAULTS) as HttpFault[]) {
      if (token && !TOKEN_FAULTS.has(name)) continue
      if (!paged && PAGED_FAULTS.has(name)) continue
      if (name === 'detail-refused' && !DETAILS.some((detail) => detail.test(path))) continue
      if (this.#throws(name)) return name
    }
    return undefined
  }

  database({ statement, inTransaction }: DatabaseRequest): DatabaseFault | undefined {
    const commit = /^commit/i.test(statement)
    if (commit && this.#throws('db-commit-unknown')) return { kind: 'lost-after' }
    for (const [name, fault] of DATABASE_FAULTS) {
      if (IN_TRANSACTION.has(name) && (!inTransaction || commit)) continue
      if (/^rollback/i.test(statement)) continue
      if (this.#throws(name)) return fault
    }
    return undefined
  }

  /** Of what the service does by itself. */
  note(name: FaultClass): void {
    this.fired[name] = (this.fired[name] ?? 0) + 1
  }

  connection(): boolean {
    return this.#throws('db-too-many')
  }

  #throws(name: FaultClass): boolean {
    const rate = this.#plan.rates[name]
    if (rate === undefined || this.stopped) return false
    const dice = this.#dice.get(name) ?? new Random(this.#plan.seed, name)
    this.#dice.set(name, dice)
    if (!dice.chance(rate)) return false
    const times = this.fired[name] ?? 0
    if (times >= MOST_TIMES) return false
    this.fired[name] = times + 1
    return true
  }
}

const DATABASE_FAULTS: readonly (readonly [DatabaseFaultClass, DatabaseFault])[] = [
  ['db-lost-before', { kind: 'lost-before' }],
  ['db-lost-after', { kind: 'lost-after' }],
  ['db-terminated', { kind: 'terminated' }],
  ['db-deadlock', { kind: 'refused', sqlstate: '40P01' }],
  ['db-serialization', { kind: 'refused', sqlstate: '40001' }],
  ['db-lock-timeout', { kind: 'refused', sqlstate: '55P03' }],
  ['db-read-only', { kind: 'refused', sqlstate: '25006' }],
]
const IN_TRANSACTION = new Set<FaultClass>(['db-deadlock', 'db-serialization', 'db-lock-timeout'])
const PAGED_FAULTS = new Set<HttpFault>(['page-token-refused', 'same-token', 'slow-chain'])
const TOKEN_FAULTS = new Set<HttpFault>([
  'refused',
  'reset',
  'reset-in-body',
  'stall',
  'proxy-page',
  'server-error',
  'html',
  'empty',
  'broken-json',
])
/** The calls that ask for one record of a list. */
const DETAILS = [
  /^\/v2\/users\//,
  /^\/v2\/number_management\/(numbers|sms_consent|ported_numbers\/orders)\//,
  /^\/v2\/videosdk\/sessions\/.+\/recordings/,
]
const MOST_TIMES = 16
