import type { Ending } from '../../../src/core/time/ending.ts'
import type { HealthFacts, JobFacts, JobRun } from '../../../src/serve/health/facts.ts'

/** An instant of May 2026. */
export const at = (time: string, day = 10): number =>
  Date.parse(`2026-05-${String(day).padStart(2, '0')}T${time}:00Z`)

export const DONE: Ending = { kind: 'done' }
export const AGAIN: Ending = { kind: 'again' }
export const PERSON: Ending = { kind: 'person' }
export const CUT_OFF: Ending = { kind: 'interrupted' }

/** Runs of ten minutes each, with these starts and endings, numbered from 1. */
export function runs(...tries: [startedMs: number, ending: Ending][]): JobRun[] {
  return tries.map(([startedMs, ending], index) => ({
    id: index + 1,
    startedMs,
    endedMs: startedMs + 600_000,
    ending,
    running: false,
  }))
}

/** The job `users`, due at 01:00 UTC each day. */
export function nightly(tries: readonly JobRun[], lastDoneMs?: number): JobFacts {
  const done = tries.findLast(({ ending }) => ending.kind === 'done')?.startedMs
  const due = { schedule: '0 1 * * *', timezone: 'UTC' }
  return { job: 'users', ...due, runs: tries, lastDoneMs: done ?? lastDoneMs }
}

/** The facts of an account whose first run was nine days ago, and which is healthy at noon of May 10. */
export function wellFacts(changes: Partial<HealthFacts> = {}): HealthFacts {
  return {
    account: 'main',
    settings: { graceHours: 3, diskFreeGb: 5 },
    unusable: undefined,
    firstMs: at('01:00', 1),
    jobs: [nightly(runs([at('01:00', 9), DONE], [at('01:00'), DONE]))],
    drops: [],
    login: { state: 'held', endsMs: at('12:00', 30) },
    refused: [],
    archive: {
      willExpire: 0,
      overdue: 0,
      overdueSessions: 0,
      expired: 0,
      expiredSinceMs: undefined,
    },
    erasures: [{ request: 3, requestedMs: at('00:00'), dueMs: at('00:00', 11), heldAlone: false }],
    evidence: [{ runId: 40, state: 'complete', endedMs: at('01:20'), unexplained: 0 }],
    verifications: [{ runId: 41, endedMs: at('06:00'), findings: 0 }],
    quotas: [{ pool: 'MEDIUM', spent: 0, limit: 100, left: 100, planned: 100 }],
    ...changes,
  }
}

export const NOON = at('12:00')
