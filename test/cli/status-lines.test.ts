import { expect, it } from 'vitest'
import { createOutput } from '../../src/cli/frame/output.ts'
import { printStreams } from '../../src/cli/status-lines.ts'
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
