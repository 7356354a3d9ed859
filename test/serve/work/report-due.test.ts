import { describe, expect, it } from 'vitest'
import { jobs, reportJobs } from '../../../src/account/catalog.ts'
import { pick } from '../../../src/account/choose.ts'
import type { ReportSpan } from '../../../src/core/define/job.ts'
import { dueTimes } from '../../../src/core/time/due-times.ts'
import type { Attempt } from '../../../src/core/time/next-start.ts'
import {
  isBeforeFirst,
  jobsFor,
  type NeededJob,
  notBefore,
  reportWaits,
} from '../../../src/serve/work/report-due.ts'
import { spanParams } from '../../../src/serve/work/span-params.ts'

const at = (instant: string): number => Date.parse(`2026-${instant}:00Z`)
const dueMs = at('07-01T06:00')
const deadlineMs = at('07-02T06:00')
const times = dueTimes({ schedule: '0 2 * * *', timezone: 'UTC' })

function needed(
  started: string | undefined,
  kind: 'done' | 'again' | 'interrupted' = 'done',
): NeededJob {
  const ending: Attempt['ending'] = { kind }
  const attempts =
    started === undefined ? [] : [{ startedMs: at(started), endedMs: at(started), ending }]
  return { name: 'users', times, attempts, everComplete: true }
}

describe('a due report', () => {
  const wait = (nowMs: number, ...jobsNeeded: NeededJob[]) =>
    notBefore({ dueMs, deadlineMs, nowMs }, jobsNeeded)?.untilMs

  it('names exactly the jobs that it waits for', () => {
    const named = (name: string, started: string | undefined) => ({ ...needed(started), name })
    const nowMs = at('07-01T06:30')
    const jobsNeeded = [
      named('users', undefined),
      named('phone-numbers', '07-01T02:00'),
      named('recordings', '06-30T02:00'),
      { ...named('whiteboards', undefined), everComplete: false },
    ]
    expect(notBefore({ dueMs, deadlineMs, nowMs }, jobsNeeded)).toEqual({
      untilMs: nowMs + 300_000,
      jobs: ['users', 'recordings', 'whiteboards'],
    })
  })

  it('may be made once each needed job is complete since its own last due time', () => {
    expect(wait(dueMs, needed('07-01T02:00'), needed('07-01T05:00'))).toBeUndefined()
    expect(wait(dueMs)).toBeUndefined()
  })

  it('waits five minutes at a time while a needed job is not complete', () => {
    const nowMs = at('07-01T06:30')
    const againMs = at('07-01T06:35')
    expect(wait(nowMs, needed('07-01T02:00'), needed(undefined))).toBe(againMs)
    expect(wait(nowMs, needed('06-30T02:00'))).toBe(againMs)
    expect(wait(nowMs, needed('07-01T02:00', 'again'))).toBe(againMs)
  })

  it('is made at its deadline at the latest, even if a needed job is not complete', () => {
    expect(wait(deadlineMs - 60_000, needed(undefined))).toBe(deadlineMs)
    expect(wait(deadlineMs, needed(undefined))).toBeUndefined()
  })

  it('is not made before each needed job was complete once, even after its deadline', () => {
    const nowMs = at('07-20T00:00')
    const never = { ...needed(undefined), everComplete: false }
    expect(wait(nowMs, never)).toBe(nowMs + 300_000)
    expect(wait(nowMs, needed('07-20T00:00'))).toBeUndefined()
  })
})

describe('a due report about runs', () => {
  const wait = (nowMs: number, ...jobsNeeded: NeededJob[]) =>
    notBefore(
      { dueMs, deadlineMs, nowMs },
      jobsNeeded.map((job) => ({ ...job, everComplete: false, anyEnding: true })),
    )?.untilMs

  it('may be made once each job has ended since it was due, with any result', () => {
    expect(wait(dueMs, needed('07-01T02:00', 'again'), needed('07-01T02:10'))).toBeUndefined()
    expect(wait(dueMs, needed('06-30T02:00'))).toBe(dueMs + 300_000)
  })

  it('waits for a running job, but not beyond its deadline', () => {
    const running = needed('07-01T05:59', 'interrupted')
    expect(wait(dueMs, running)).toBe(dueMs + 300_000)
    expect(wait(deadlineMs, running, needed(undefined))).toBeUndefined()
  })
})

describe('a scheduled report', () => {
  const params = (span: ReportSpan, name: string, due = dueMs) => {
    const report = reportJobs.find((job) => job.name === name)!.report
    return spanParams({ span, report }, { dueMs: due, timeZone: 'America/New_York' })
  }

  it('covers the month before its due day, in the reports’ time zone', () => {
    expect(params('month before', 'session-quality-report')).toEqual({ month: '2026-06' })
    // In New York it is still June 30.
    expect(params('month before', 'session-quality-report', at('07-01T03:00'))).toEqual({
      month: '2026-05',
    })
    expect(params('month before', 'whiteboard-audit-report', at('03-01T12:00'))).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    })
    expect(params('week before', 'whiteboard-audit-report', at('03-04T12:00'))).toEqual({
      from: '2026-02-25',
      to: '2026-03-03',
    })
    expect(params('present', 'number-inventory-report')).toEqual({})
    expect(params('day before', 'reconciliation-report', at('03-01T07:00'))).toEqual({
      day: '2026-02-28',
    })
    // In New York it is still February 28.
    expect(params('day before', 'reconciliation-report', at('03-01T04:00'))).toEqual({
      day: '2026-02-27',
    })
  })

  it.each([
    ['session-quality-report', ['session-reports']],
    ['number-inventory-report', ['users', 'phone-numbers']],
  ])('%s waits for the jobs that read its streams', (name, expected) => {
    const job = reportJobs.find((one) => one.name === name)!
    expect(jobsFor(job, jobs).map((one) => one.name)).toEqual(expect.arrayContaining(expected))
  })

  it('without streams waits for every job whose runs it shows', () => {
    const job = reportJobs.find(({ name }) => name === 'reconciliation-report')!
    expect(jobsFor(job, jobs)).toEqual(jobs)
  })
})

describe('a report on the runs of the day before', () => {
  const reconciliation = pick('job', 'reconciliation-report', reportJobs)
  const isEarly = (first: string | undefined, job = reconciliation): boolean => {
    const firstMs = first === undefined ? Number.POSITIVE_INFINITY : at(first)
    return isBeforeFirst(job, { dueMs, firstMs, timeZone: 'Asia/Tokyo' })
  }

  it('is not due before the first run, nor for a day before it', () => {
    // In Tokyo, the due day is July 1, and June 30 ends at 15:00 UTC.
    expect(isEarly('06-30T14:59')).toBe(false)
    expect(isEarly('06-30T15:00')).toBe(true)
    expect(isEarly(undefined)).toBe(true)
  })

  it('is the only kind that waits for the first run', () => {
    for (const job of reportJobs.filter((one) => one !== reconciliation))
      expect([job.name, isEarly(undefined, job)]).toEqual([job.name, false])
  })

  it('is logged once as not due', () => {
    const events: unknown[] = []
    const log = reportWaits({ event: (...event) => void events.push(event) })
    const work = { account: 'main', job: 'reconciliation-report' } as Parameters<typeof log>[0]
    const untilMs = at('07-02T07:00')
    log(work, dueMs, { untilMs, jobs: [] })
    log(work, dueMs, { untilMs, jobs: [] })
    const reason = "its day is before the account's first run"
    const until = '2026-07-02T07:00:00.000Z'
    expect(events).toEqual([['report not due', { ...work, reason, until }]])
  })
})
