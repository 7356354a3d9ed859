import { neverConnected } from '../api/answers/transport-faults.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../core/circuit-breaker.ts'
import type { Job } from '../core/define/job.ts'
import { fetchedStream } from '../core/define/stream.ts'
import { CallsheetError } from '../core/errors.ts'
import type { RunContext } from './run/run-context.ts'

/**
 * Returns the breaker that a job of a sync shares with all jobs of the same bearer. It trips only if nothing
 * is reached, because one failing operation must not stop other jobs. Calls with a JWT need no token, so an
 * unreachable token server does not stop their jobs.
 */
export function sharedBreakers(): (job: Job) => CircuitBreaker {
  const breakers = {
    oauth: createCircuitBreaker(neverConnected),
    jwt: createCircuitBreaker(neverConnected),
  }
  return ({ streams: [first] }) =>
    breakers[first === undefined ? 'oauth' : fetchedStream(first).operation.bearer]
}

/** Gives a reason to a job that tried nothing because other jobs had found the service unreachable. */
export function reportOutage(run: RunContext): void {
  const error = run.breaker.tripped()
  if (!(error instanceof CallsheetError) || run.noted().problems.length > 0) return
  run.failed(error)
  run.problem(`${run.job}: ${error.message}`, true)
}
