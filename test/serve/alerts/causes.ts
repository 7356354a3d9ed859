import type { Cause } from '../../../src/core/define/cause.ts'

export const NOW = Date.parse('2026-07-01T05:00:00Z')
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

export function causeOf(subject: string, changes: Partial<Cause> = {}): Cause {
  return {
    code: 'job_failing',
    account: 'main',
    subject,
    level: 'red',
    sentence: `The job ${subject} fails.`,
    todo: 'callsheet runs',
    sinceMs: NOW,
    ...changes,
  }
}
