import { expect, it } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import users from '../../jobs/users.ts'
import whiteboards from '../../jobs/whiteboards.ts'
import { type AskedPart, choosePart } from '../../src/account/choose-part.ts'
import type { Job } from '../../src/core/define/job.ts'
import { ConfigurationError } from '../../src/core/errors.ts'
import { DAY_MS } from '../../src/core/time/time.ts'

const limits = { nowMs: Date.parse('2026-07-08T02:30:00Z'), historyDays: 180 }
const part = (job: Job, asked: AskedPart) => choosePart([job], asked, limits)

it('a range keeps the windowed streams of the job, with the rows that come in their records', () => {
  const [whole] = part(recordings, { from: '2026-06-01', to: '2026-06-03' })
  expect(whole).toMatchObject({ name: 'recordings', partial: true })
  expect(whole?.streams.map(({ name }) => name)).toEqual([
    'recording_sessions',
    'recording_files',
    'recording_participant_files',
  ])
  const fromMs = Date.parse('2026-06-01')
  expect(whole?.range).toEqual({ fromMs, toMs: fromMs + 3 * DAY_MS })
  expect(whole?.archive).toBeUndefined()
})

it('a stream alone is a part, even if the job has no other', () => {
  expect(part(users, { stream: 'users' })).toMatchObject([
    { name: 'users', partial: true, streams: [{ name: 'users' }] },
  ])
  const [one] = part(whiteboards, { stream: 'whiteboard_collaborators' })
  expect(one?.streams.map(({ name }) => name)).toEqual(['whiteboard_collaborators'])
  expect(one?.range).toBeUndefined()
})

it('today and the first day of the history limit belong to the days that can be read', () => {
  const days = { from: '2026-01-09', to: '2026-07-08' }
  expect(part(sessionReports, days)).toHaveLength(1)
})

const june = { from: '2026-06-01', to: '2026-06-03' }
it.each<[string, Job, AskedPart, string, RegExp]>([
  ['a stream of no job', users, { stream: 'user' }, 'unknown_stream', /one of users.*mean users\?/],
  [
    'a stream of another job',
    users,
    { stream: 'whiteboards' },
    'unknown_stream',
    /name the job whiteboards/,
  ],
  [
    'rows that come in other records',
    recordings,
    { stream: 'recording_files' },
    'unknown_stream',
    /use --stream recording_sessions/,
  ],
  [
    'a stream without windows',
    users,
    { stream: 'users', ...june },
    'no_windows',
    /leave out --from/,
  ],
  ['a job without windows', users, june, 'no_windows', /each stream of the job/],
  [
    'a list per parent',
    whiteboards,
    { stream: 'whiteboard_collaborators', ...june },
    'no_windows',
    /whiteboard_collaborators is read without windows/,
  ],
  ['one end', sessionReports, { from: '2026-06-01' }, 'range_needs_both', /--to is missing/],
  [
    'a reversed range',
    sessionReports,
    { from: '2026-06-03', to: '2026-06-01' },
    'range_reversed',
    /use --from 2026-06-01 --to 2026-06-03/,
  ],
  [
    'a day before the limit',
    sessionReports,
    { from: '2026-01-08', to: '2026-06-01' },
    'range_before_limit',
    /before the history limit of session_reports, 180 days.*days from 2026-01-09.*use --from 2026-01-09\.$/,
  ],
  [
    'a day before the limit of the account',
    recordings,
    { from: '2026-01-08', to: '2026-06-01' },
    'range_before_limit',
    /increase accounts\[\]\.historyDays/,
  ],
  [
    'a future day',
    sessionReports,
    { from: '2026-07-01', to: '2026-07-09' },
    'range_in_future',
    /use --to 2026-07-08/,
  ],
])('refuses %s, in four parts', (_name, job, asked, code, text) => {
  const error = refusal(() => part(job, asked))
  expect(error.code).toBe(code)
  expect(Object.values(error.facts).filter((fact) => fact !== '')).toHaveLength(4)
  expect(error.facts.todo).toBeTruthy()
  expect(error.message).toMatch(text)
})

it('refuses no job and several jobs', () => {
  for (const jobs of [[], [users, recordings]]) {
    const error = refusal(() => choosePart(jobs, { stream: 'users' }, limits))
    expect(error.code).toBe('one_job_needed')
  }
})

function refusal(choose: () => unknown): ConfigurationError {
  try {
    choose()
  } catch (error) {
    if (error instanceof ConfigurationError) return error
  }
  throw new Error('nothing was refused')
}
