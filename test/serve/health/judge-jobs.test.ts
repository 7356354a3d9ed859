import { describe, expect, it } from 'vitest'
import type { Ending } from '../../../src/core/time/ending.ts'
import type { HealthFacts, JobFacts } from '../../../src/serve/health/facts.ts'
import { judgeHealth } from '../../../src/serve/health/judge.ts'
import { isMoved } from '../../../src/warehouse/ledger/moved.ts'
import { AGAIN, at, CUT_OFF, DONE, nightly, PERSON, runs, wellFacts } from './facts-of.ts'

const MINUTE_MS = 60_000

const judge = (job: JobFacts, nowMs: number, changes: Partial<HealthFacts> = {}) =>
  judgeAll([job], nowMs, changes)
const judgeAll = (jobs: readonly JobFacts[], nowMs: number, changes: Partial<HealthFacts> = {}) =>
  judgeHealth(wellFacts({ jobs, erasures: [], ...changes }), nowMs)

describe('a job is overdue', () => {
  const left = nightly(runs([at('01:00', 9), DONE]))

  it('after its grace if no run that began since its due time is complete', () => {
    expect(judge(left, at('04:00'))).toEqual([])
    expect(judge(left, at('04:00') + 1)).toEqual([
      {
        code: 'job_overdue',
        account: 'main',
        subject: 'all jobs',
        level: 'red',
        sentence: 'The job users is not done since it was last due.',
        todo: "Check that `callsheet serve` is running. `callsheet runs 1` shows the job's last run.",
        sinceMs: at('01:00'),
        quiet: undefined,
      },
    ])
  })

  it('and reported as failing if a run since its due time failed', () => {
    const tried = nightly(runs([at('01:00', 9), DONE], [at('01:00'), AGAIN]))
    expect(judge(tried, at('04:01'))).toMatchObject([
      {
        code: 'job_failing',
        subject: 'users',
        sentence: 'The last run of the job users failed or was incomplete.',
        todo: expect.stringMatching(/^Run `callsheet runs 2` /),
      },
    ])
  })

  it('together with other jobs, and all are reported as one cause', () => {
    const others = ['users', 'recordings', 'whiteboards'].map((name) => ({ ...left, job: name }))
    expect(judgeAll(others, at('04:01'))).toMatchObject([
      {
        code: 'job_overdue',
        subject: 'all jobs',
        sentence: expect.stringMatching(/^3 jobs are not/),
      },
    ])
  })

  it('after the configured grace', () => {
    const settings = { graceHours: 0.5, diskFreeGb: 5 }
    expect(judge(left, at('01:30'), { settings })).toEqual([])
    expect(judge(left, at('01:31'), { settings })).toMatchObject([{ code: 'job_overdue' }])
  })

  it('since the first missed due time, even after the next one', () => {
    const causes = judge(left, at('01:01', 13))
    expect(causes).toMatchObject([{ code: 'job_overdue', sinceMs: at('01:00', 10) }])
    expect(judge(left, at('01:01', 11))).toMatchObject([{ sinceMs: at('01:00', 10) }])
    // Also at the very instant when the grace of a later due time ends.
    expect(judge(left, at('04:00', 11))).toMatchObject([{ sinceMs: at('01:00', 10) }])
  })

  it('even if it is due more often than its grace lasts', () => {
    const hourly = { ...nightly(runs([at('05:00'), DONE])), schedule: '0 * * * *' }
    expect(judge(hourly, at('09:00'))).toEqual([])
    expect(judge(hourly, at('09:01'))).toMatchObject([{ sinceMs: at('06:00') }])
  })

  it('counted in the time zone of its schedule', () => {
    const berlin = { ...left, timezone: 'Europe/Berlin' }
    expect(judge(berlin, at('02:00'))).toEqual([])
    expect(judge(berlin, at('02:01'))).toMatchObject([{ sinceMs: at('23:00', 9) }])
  })

  it('but not after a complete run since then, even if the database’s clock is behind', () => {
    expect(judge(nightly(runs([at('01:00', 9), DONE], [at('03:00'), DONE])), at('12:00'))).toEqual(
      [],
    )
    const early = nightly(runs([at('01:00') - MINUTE_MS / 2, DONE]))
    expect(judge(early, at('12:00'))).toEqual([])
    const before = nightly(runs([at('00:50'), DONE]))
    expect(judge(before, at('12:00'))).toMatchObject([{ code: 'job_overdue' }])
  })

  it('but not while a run that began within the grace is active', () => {
    const from = (startedMs: number, running = true) =>
      nightly(
        runs([startedMs, CUT_OFF]).map((run) => ({ ...run, running })),
        at('01:00', 9),
      )
    expect(judge(from(at('04:00')), at('12:00'))).toEqual([])
    expect(judge(from(at('04:01')), at('12:00'))).toMatchObject([
      {
        code: 'job_overdue',
        todo: 'Wait for run 1, which is active. If the run hangs, end its callsheet process.',
      },
    ])
    expect(judge(from(at('04:00'), false), at('12:00'))).toMatchObject([{ code: 'job_overdue' }])
    // The run began for an earlier due time, so it may hang.
    expect(judge(from(at('04:00')), at('04:01', 11))).toMatchObject([{ code: 'job_overdue' }])
  })

  it('while it waits for the next day’s quota, and the text says so', () => {
    const paused = runs([at('01:00'), { kind: 'at', atMs: at('00:00', 11) }])
    const waiting = nightly(paused, at('01:00', 9))
    expect(judge(waiting, at('05:00'))).toMatchObject([
      { code: 'job_overdue', subject: 'daily quota', todo: expect.stringContaining('quota') },
    ])
    const quotas = [{ pool: 'MEDIUM', spent: 0, limit: 1, left: 1, planned: 2 }]
    expect(judge(nightly(paused, at('01:00', 9)), at('03:00'), { quotas })).toMatchObject([
      { code: 'quota_short', subject: 'MEDIUM', level: 'amber' },
    ])
    expect(judge(waiting, at('05:00'), { quotas })).toMatchObject([
      { code: 'quota_short', subject: 'MEDIUM', level: 'red' },
    ])
  })

  it('but never without a due time', () => {
    const leapDays = { ...left, schedule: '0 1 29 2 *' }
    const [known, unknown] = ['2100-01-01', '2102-01-01'].map((day) => Date.parse(day))
    expect(judge(leapDays, known!, { login: undefined })).toMatchObject([{ code: 'job_overdue' }])
    expect(judge(leapDays, unknown!, { login: undefined })).toEqual([])
  })
})

describe('a job that was never run', () => {
  const never = nightly([])

  it('is overdue after the grace, counted from the account’s first run', () => {
    const firstMs = at('10:00')
    expect(judge(never, at('13:00'), { firstMs })).toEqual([])
    expect(judge(never, at('13:01'), { firstMs })).toMatchObject([
      { code: 'job_overdue', level: 'red', sinceMs: firstMs },
    ])
  })

  it('is an amber cause in an account without any run, and none if another database has its rows', () => {
    // No `job_overdue`, whose remedy would be wrong: the rows are in another database.
    const unusable = isMoved('main', 'west')
    expect(judge(never, at('12:00'), { firstMs: undefined, unusable })).toMatchObject([
      { code: 'account_elsewhere' },
    ])
    expect(judge(never, at('12:00'), { firstMs: undefined })).toMatchObject([
      { code: 'job_overdue', subject: 'all jobs', level: 'amber', sinceMs: at('01:00') },
    ])
    expect(
      judgeHealth(wellFacts({ jobs: [], firstMs: undefined, erasures: [] }), at('12:00')),
    ).toEqual([])
  })
})

describe('a job is failing', () => {
  const times = [at('01:00'), at('01:15'), at('01:40'), at('02:00')]
  const badly = (startedMs: number): [number, Ending] => [startedMs, AGAIN]
  const failed = (count: number) =>
    nightly(runs(...times.slice(0, count).map(badly)), at('01:00', 9))

  it('after three runs in a row that failed or were incomplete', () => {
    expect(judge(failed(2), at('03:00'))).toEqual([])
    expect(judge(failed(3), at('03:00'))).toMatchObject([
      {
        code: 'job_failing',
        subject: 'users',
        level: 'red',
        sentence: 'The last 3 runs of the job users failed or were incomplete.',
        todo: expect.stringContaining('callsheet runs 3'),
        sinceMs: at('01:10'),
      },
    ])
    expect(judge(failed(4), at('03:00'))).toMatchObject([{ sinceMs: at('01:10') }])
  })

  it('until a run is complete, counted only from runs since the last complete one', () => {
    const mended = runs(...times.map(badly), [at('02:30'), DONE])
    expect(judge(nightly(mended), at('03:00'))).toEqual([])
    const twice = runs([at('01:00'), DONE], [at('01:15'), AGAIN], [at('01:40'), AGAIN])
    expect(judge(nightly(twice), at('03:00'))).toEqual([])
  })

  it('even with interrupted or paused runs in between', () => {
    const between = runs(
      [at('01:00'), AGAIN],
      [at('01:15'), CUT_OFF],
      [at('01:40'), AGAIN],
      [at('02:00'), { kind: 'at', atMs: at('00:00', 11) }],
    )
    expect(judge(nightly(between, at('01:00', 9)), at('03:00'))).toEqual([])
    const third = [...between, ...runs([at('02:30'), AGAIN])]
    expect(judge(nightly(third, at('01:00', 9)), at('03:00'))).toMatchObject([
      { code: 'job_failing' },
    ])
  })

  it('but not because of a run that is still active', () => {
    const [one, two, three] = failed(3).runs
    const now = nightly([one!, two!, { ...three!, running: true }], at('01:00', 9))
    expect(judge(now, at('03:00'))).toEqual([])
  })

  it('at once if a person must act', () => {
    const waits = nightly(runs([at('01:00'), PERSON]), at('01:00', 9))
    expect(judge(waits, at('01:30'))).toMatchObject([
      {
        code: 'job_failing',
        level: 'red',
        sentence: 'The job users is blocked until somebody acts.',
        todo: expect.stringContaining('callsheet runs 1'),
      },
    ])
  })
})
