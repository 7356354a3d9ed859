import { expect, it } from 'vitest'
import { createOutput } from '../../src/cli/frame/output.ts'
import { printStreams, wellText } from '../../src/cli/status-lines.ts'
import { NEVER_RUN } from '../../src/serve/ledger/job-runs.ts'

it('status counts the records that the last reads showed outside the requested ranges', () => {
  const lines: string[] = []
  const output = { ...createOutput({ json: false }), line: (text = '') => void lines.push(text) }
  const sessions = {
    stream: 'session_reports',
    rows: 7,
    slices: 1,
    failed: 0,
    notAllowed: 0,
    part: undefined,
    refusal: undefined,
    oldestReading: undefined,
    newestReading: undefined,
    quarantined: 0,
    outside: 3,
    absent: { lists: 0, of: 0 },
    taken: { lists: 0, of: 0 },
  }
  printStreams(output, {
    account: 'main',
    jobs: [{ ...NEVER_RUN, job: 'session-reports', streams: [sessions] }],
    trippedGuards: [],
    quota: [],
    held: [],
    logins: [],
    syncingUntil: undefined,
  })
  expect(lines).toEqual([
    'session_reports: 3 records of the last reads are outside the requested ranges',
  ])
})

it.each([
  [['complete', 'running'], /^Healthy\. Checked: /],
  [['complete', 'incomplete'], /^No alert yet: the last run of job-1 was not complete\. /],
  [['paused', 'complete'], /^No alert yet: the last run of job-0 was not complete\. /],
  [['interrupted', 'running'], /^No alert yet: the last run of job-0 was not complete\. /],
  [['failed', 'incomplete'], /^No alert yet: the last runs of job-0, job-1 were not complete\. /],
] as const)(
  'status names the jobs whose last run was not complete, for runs that were %s',
  (states, expected) => {
    const jobs = states.map((state, index) => {
      const started = { id: index, state, partial: false, startedAt: '2026-07-08T01:00:00Z' }
      return {
        ...NEVER_RUN,
        job: `job-${index}`,
        streams: [],
        lastRun: { ...started, isIdle: false },
      }
    })
    expect(wellText(jobs)).toMatch(expected)
  },
)
