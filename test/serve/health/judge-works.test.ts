import { describe, expect, it } from 'vitest'
import type { WorkAttempt, WorkFacts } from '../../../src/serve/health/facts.ts'
import { judgeHealth } from '../../../src/serve/health/judge.ts'
import { NOON, wellFacts } from './facts-of.ts'

type End = WorkAttempt['end']

/** Judges a report or task by the ends of its attempts, the newest first, an hour apart. */
const judge = (ends: readonly End[], changes: Partial<WorkFacts> = {}) => {
  const attempts = ends.map(
    (end, hours): WorkAttempt => ({
      endedMs: NOON - hours * 3_600_000,
      end,
      error: `mail: 550 no such user ann@example.com ${hours}`,
    }),
  )
  const work: WorkFacts = { name: 'session-quality-report', kind: 'report', attempts, ...changes }
  return judgeHealth(wellFacts({ works: [work] }), NOON)
}

describe('a scheduled report in the health of an account', () => {
  it.each<[End[], number | undefined]>([
    [[], undefined],
    [['well'], undefined],
    [['failed', 'failed', 'well', 'failed'], undefined],
    [['well', 'failed', 'failed', 'failed'], undefined],
    [['failed', 'failed', 'failed'], 2],
    [['failed', 'failed', 'failed', 'well'], 2],
    [['failed', 'failed', 'failed', 'failed', 'well', 'failed'], 3],
    [['person'], 0],
    [['person', 'failed', 'well'], 1],
    [['failed', 'person', 'well'], undefined],
  ])('with the tries %j has been failing for this many hours: %s', (ends, hours) => {
    const causes = judge(ends)
    expect(causes.map(({ code, level, sinceMs }) => [code, level, sinceMs])).toEqual(
      hours === undefined ? [] : [['report_failing', 'red', NOON - hours * 3_600_000]],
    )
  })

  it('says how often it failed, and why, without naming a person', () => {
    expect(judge(['failed', 'failed', 'failed'])).toMatchObject([
      {
        sentence:
          'The last 3 tries of the report session-quality-report failed. ' +
          'Mail: 550 no such user …@… 0.',
        todo: 'Fix this error. `callsheet serve` tries again within an hour.',
      },
    ])
    expect(judge(['person'])).toMatchObject([
      {
        sentence: 'The report session-quality-report is blocked. Mail: 550 no such user …@… 0.',
        todo: 'Fix this error. `callsheet serve` runs the report again at its next scheduled time.',
      },
    ])
  })
})

describe('a scheduled task in the health of an account', () => {
  it('has the cause task_failing if it needs a person', () => {
    const changes = { name: 'audit-export', kind: 'task' } as const
    expect(judge(['person'], changes)).toMatchObject([
      { code: 'task_failing', subject: 'audit-export' },
    ])
  })

  it('has no cause if it verified and found problems, because the findings are a cause', () => {
    const changes = { name: 'verify', kind: 'task' } as const
    expect(judge(['person'], changes)).toEqual([])
    expect(judge(['failed', 'failed', 'failed'], changes)).toMatchObject([{ subject: 'verify' }])
  })
})
