import { describe, expect, it } from 'vitest'
import type { Ending } from '../../../src/core/time/ending.ts'
import type { HealthFacts, JobFacts, JobRun } from '../../../src/serve/health/facts.ts'
import { judgeHealth } from '../../../src/serve/health/judge.ts'
import {
  DELETION_GUARD,
  type Failure,
  NOT_ALLOWED,
  UNAVAILABLE,
} from '../../../src/sync/run/failure.ts'
import { AGAIN, at, CUT_OFF, DONE, nightly, PERSON, runs, wellFacts } from './facts-of.ts'

const SECRET: Failure = {
  key: 'invalid_client',
  depth: 1,
  came: 'HTTP 401, invalid_client, the client ID or the client secret is wrong',
}
const AWAY: Failure = { key: UNAVAILABLE, depth: 0, came: 'the service is not available: HTTP 503' }
const WORDS: Failure = {
  depth: 2,
  came: 'users.status: the service seems to say zapped for x@y.example',
}
const GUARD: Failure = { key: DELETION_GUARD, depth: 2, came: '60 of 90 rows of users are missing' }

type Try = [startedMs: number, ending: Ending, failure?: Failure]

/** A job of this name, whose last complete run was on May 9. */
function job(name: string, ...tries: Try[]): JobFacts {
  const made = runs(...tries.map(([startedMs, ending]): [number, Ending] => [startedMs, ending]))
  const told = made.map((run, index): JobRun => ({ ...run, failure: tries[index]?.[2] }))
  return { ...nightly(told, at('01:00', 9)), job: name }
}

const judge = (jobs: readonly JobFacts[], nowMs: number, changes: Partial<HealthFacts> = {}) =>
  judgeHealth(wellFacts({ jobs, erasures: [], ...changes }), nowMs)

const blocked = (name: string) => job(name, [at('01:00'), PERSON, SECRET])

describe('jobs that fail for the same reason', () => {
  it('are reported as one cause, with the error’s text and remedy', () => {
    expect(judge([blocked('users'), blocked('boards')], at('01:20'))).toEqual([
      {
        code: 'job_failing',
        account: 'main',
        subject: 'invalid_client',
        level: 'red',
        sentence:
          'The service rejects the client secret (HTTP 401 invalid_client). 2 jobs are blocked.',
        todo:
          'Update `clientSecret`, then run `callsheet doctor`. Then run `callsheet sync`, and ' +
          'restart `callsheet serve` if it is running.',
        sinceMs: at('01:10'),
        quiet: undefined,
      },
    ])
  })

  it('stay the same cause when they also become overdue', () => {
    const names = (nowMs: number, jobs = [blocked('users'), blocked('boards')]) =>
      judge(jobs, nowMs).map(({ code, subject }) => `${code} ${subject}`)
    for (const time of ['01:20', '04:01', '23:00'])
      expect([time, names(at(time))]).toEqual([time, ['job_failing invalid_client']])
    expect(names(at('12:00', 11))).toEqual(['job_failing invalid_client'])
    const tried = job('users', [at('01:00'), PERSON, SECRET], [at('03:00'), CUT_OFF])
    expect(names(at('04:01'), [tried])).toEqual(['job_failing invalid_client'])
  })

  it('become a cause at the third failure, or when a job is overdue', () => {
    const failing = (count: number) =>
      job(
        'users',
        ...['01:00', '01:15', '01:40'].slice(0, count).map((time): Try => [at(time), AGAIN, AWAY]),
      )
    expect(judge([failing(2)], at('03:00'))).toEqual([])
    const cause = { code: 'job_failing', subject: 'service_unavailable' }
    expect(judge([failing(3)], at('03:00'))).toMatchObject([
      { ...cause, sentence: 'The service is not available: HTTP 503. The job users fails.' },
    ])
    expect(judge([failing(1)], at('04:01'))).toMatchObject([cause])
  })

  it('keep their cause if the next run fails earlier, before it can reach the first error', () => {
    const subjects = (...tries: Try[]) =>
      judge([job('users', ...tries)], at('05:00')).map(({ subject }) => subject)
    const [first, second]: number[] = [at('01:00'), at('02:00')]
    expect(subjects([first!, PERSON, SECRET], [second!, AGAIN, AWAY])).toEqual([
      'invalid_client',
      'service_unavailable',
    ])
    expect(subjects([first!, AGAIN, AWAY], [second!, PERSON, SECRET])).toEqual(['invalid_client'])
    expect(subjects([first!, PERSON, SECRET], [second!, PERSON, WORDS])).toEqual(['users'])
  })

  it('have a general reason, with email addresses masked, if no known error gives one', () => {
    expect(judge([job('users', [at('01:00'), PERSON, WORDS])], at('01:20'))).toMatchObject([
      {
        subject: 'users',
        sentence:
          'Users.status: the service seems to say zapped for …@…. The job users is blocked.',
      },
    ])
  })

  it('are no separate cause if a held-back deletion or a refused stream explains them', () => {
    const held = job('users', [at('01:00'), PERSON, GUARD])
    const drops = [{ stream: 'users', runId: 1, missing: 60, owned: 90, sinceMs: at('01:10') }]
    expect(judge([held], at('05:00'), { drops })).toMatchObject([{ code: 'drop_waiting' }])
    expect(judge([held], at('03:00'))).toEqual([])
    expect(judge([held], at('05:00'))).toMatchObject([{ code: 'job_overdue' }])
    const shut = job('users', [
      at('01:00'),
      PERSON,
      { key: NOT_ALLOWED, depth: 1, came: 'nothing' },
    ])
    const refused = [{ stream: 'users', wasRead: true, sinceMs: at('01:10') }]
    expect(judge([shut], at('05:00'), { refused })).toMatchObject([{ code: 'not_allowed' }])
  })

  it('are part of the cause of an ended login', () => {
    const out: Failure = {
      key: 'needs_reauth',
      depth: 1,
      came: 'the service no longer accepts the login',
    }
    const login = { state: 'ended' as const, endsMs: undefined }
    expect(judge([job('users', [at('01:00'), PERSON, out])], at('05:00'), { login })).toMatchObject(
      [
        {
          code: 'login_ended',
          subject: 'login',
          sentence: expect.stringMatching(/^The login has ended\. .*The job users is blocked\.$/),
          todo: 'Run `callsheet login --account main`',
        },
      ],
    )
  })

  it('need another run after a new login, and no login anymore', () => {
    const out: Failure = { key: 'needs_reauth', depth: 1, came: 'no login' }
    const login = { state: 'held' as const, endsMs: undefined }
    expect(judge([job('users', [at('01:00'), PERSON, out])], at('05:00'), { login })).toMatchObject(
      [
        {
          code: 'job_failing',
          sentence: 'The account is logged in again. The job users is still blocked.',
          todo: 'Run `callsheet sync`, or start `callsheet serve` again.',
        },
      ],
    )
  })

  it('include the resulting loss of files, which has no alert of its own', () => {
    const archive = { ...wellFacts().archive!, overdue: 4 }
    const files = (jobs: JobFacts[]) =>
      judge(
        jobs.map((one) => ({ ...one, fetchesFiles: true })),
        at('05:00'),
        { archive },
      ).find(({ code }) => code === 'archive_expiring')?.quiet
    expect(files([blocked('users')])).toBe('follows')
    expect(files([job('users', [at('01:00'), DONE])])).toBeUndefined()
  })
})

describe('a job that was due before the service could work', () => {
  const left = job('users')
  const quiet = (jobs: JobFacts[], nowMs: number, awakeMs?: number) =>
    judge(jobs, nowMs, { awakeMs }).map(({ code, quiet: is = 'told' }) => `${code} ${is}`)

  it('is tried before it counts as late, for as long as the grace lasts', () => {
    expect(quiet([left], at('08:05'))).toEqual(['job_overdue told'])
    expect(quiet([left], at('08:05'), at('08:00'))).toEqual(['job_overdue untried'])
    expect(quiet([left], at('11:00'), at('08:00'))).toEqual(['job_overdue untried'])
    expect(quiet([left], at('11:01'), at('08:00'))).toEqual(['job_overdue told'])
    // The machine was already awake when the job was due.
    expect(quiet([left], at('08:05'), at('00:30'))).toEqual(['job_overdue told'])
  })

  it('is late after a failed attempt', () => {
    const tried = job('users', [at('08:01'), CUT_OFF])
    expect(quiet([tried], at('08:15'), at('08:00'))).toEqual(['job_overdue told'])
    // The attempt began before the machine slept.
    const cut = job('users', [at('01:00'), CUT_OFF])
    expect(quiet([cut], at('08:05'), at('08:00'))).toEqual(['job_overdue untried'])
  })

  it('is late after repeated attempts, however often the service restarts', () => {
    const times = ['01:00', '02:00', '03:00'].map((time): Try => [at(time), CUT_OFF])
    expect(quiet([job('users', ...times)], at('08:05'), at('08:00'))).toEqual(['job_overdue told'])
  })

  it('does not hide earlier failures', () => {
    expect(quiet([blocked('users'), { ...left, job: 'boards' }], at('08:05'), at('08:00'))).toEqual(
      ['job_failing told', 'job_overdue untried'],
    )
  })
})
