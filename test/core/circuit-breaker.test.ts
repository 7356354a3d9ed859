import { describe, expect, it } from 'vitest'
import { neverConnected } from '../../src/api/answers/transport-faults.ts'
import {
  createCircuitBreaker,
  FAILURES_IN_A_ROW,
  isOutage,
} from '../../src/core/circuit-breaker.ts'
import { TransportError } from '../../src/core/errors.ts'

const fault = (code: string): TransportError =>
  new TransportError('network', true, {
    tried: 'GET /users (users.list)',
    came: code,
    cause: Object.assign(new Error(code), { code }),
  })
const REFUSED = fault('ECONNREFUSED')
const RESET = fault('ECONNRESET')

/** The breakers of two jobs of a sync, after the first job's slices ended in this way. */
function jobsAfter(...ends: unknown[]) {
  const sync = createCircuitBreaker(neverConnected)
  const [first, second] = [1, 2].map(() => createCircuitBreaker(isOutage, sync))
  for (const end of ends) first?.note(end)
  return { first, second }
}
const times = (end: unknown, count: number): unknown[] => Array.from({ length: count }, () => end)

describe('the circuit breaker of a job', () => {
  it('trips in all jobs once nothing was reached eight times in a row', () => {
    expect(FAILURES_IN_A_ROW).toBe(8)
    expect(jobsAfter(...times(REFUSED, 7)).second?.tripped()).toBeUndefined()
    expect(jobsAfter(...times(REFUSED, 8)).second?.tripped()).toBe(REFUSED)
  })

  it('trips in its own job only if the service was reached', () => {
    const { first, second } = jobsAfter(...times(RESET, 8))
    expect([first?.tripped(), second?.tripped()]).toEqual([RESET, undefined])
  })

  it('closes in the other jobs as soon as one of them reads a slice', () => {
    const { first, second } = jobsAfter(...times(REFUSED, 8))
    second?.note(undefined)
    expect(second?.tripped()).toBeUndefined()
    expect(first?.tripped()).toBe(REFUSED)
  })
})
