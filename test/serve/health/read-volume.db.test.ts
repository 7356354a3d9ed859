import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Output } from '../../../src/cli/frame/output.ts'
import { printHealth } from '../../../src/cli/status-lines.ts'
import { alertMessage } from '../../../src/serve/alerts/alert-text.ts'
import { readFacts } from '../../../src/serve/health/read-facts.ts'
import { judgeVolume } from '../../../src/serve/health/service-causes.ts'
import { causeList } from '../../../src/serve/page/health.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import type { KeptDays } from '../../../src/warehouse/load/daily-counts.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})
const account = 'a'
const NOW = Date.parse('2026-07-08T02:30:00Z')

const FROM = 20_454
const WEEK = [30, 32, 28, 31, 25, 0, 0]
const DAYS = 182
const series = (stream: string, silentDays: number, more: Partial<KeptDays> = {}): KeptDays => ({
  stream,
  fromDay: FROM,
  counts: Array.from({ length: DAYS }, (_, at) =>
    at < DAYS - silentDays ? (WEEK[at % 7] ?? 0) : 0,
  ),
  lateDays: 0,
  ...more,
})

/** Inserts runs that ended two months ago. */
beforeAll(async () => {
  await insertRun('session-reports', [series('session_reports', 7)])
  await insertRun('recordings', [
    series('recording_sessions', 0),
    series('recording_files', 10, { of: 'recording_sessions' }),
  ])
  await insertRun('users', [
    series('visitor_management.checked_in', 11, { notifications: true }),
    series('workspace.checked_in', 0, { notifications: true }),
  ])
  // A run that was killed has no counts.
  await sql`insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
    values (${account}, 'session-reports', 1, 'interrupted', callsheet.clock(), callsheet.clock())`.execute(
    warehouse.db,
  )
})

describe('a silent stream or kind of notification', () => {
  it('is still a cause two months after the last counts, and after a later interrupted run', async () => {
    expect(await causes(['session-reports', 'recordings', 'users'], true)).toEqual([
      [
        'parts of recording_sessions',
        'No record of recording_files began since 2026-06-22, where about 171 were expected.',
        "If people worked as usual on those days, ask the service's support why its lists lack records.",
      ],
      [
        'session_reports',
        'No record of session_reports began since 2026-06-25, where about 146 were expected.',
        "If people worked as usual on those days, ask the service's support why its lists lack records.",
      ],
      [
        'visitor_management.checked_in',
        'No notification of visitor_management.checked_in arrived since 2026-06-21, where about ' +
          '202 were expected.',
        'If people worked as usual on those days, check that `callsheet serve` runs and that the service ' +
          'sends its notifications to that address.',
      ],
    ])
  })

  it('is no cause if its job is disabled or notifications are not received', async () => {
    const of = async (jobs: readonly string[], hears: boolean) =>
      (await causes(jobs, hears)).map(([subject]) => subject)
    expect(await of(['recordings', 'users'], false)).toEqual(['parts of recording_sessions'])
    expect(await of(['users'], false)).toEqual([])
    expect(await of([], true)).toEqual(['visitor_management.checked_in'])
  })
})

describe('a silent stream', () => {
  it('is reported in the same words by status, page and alerts', async () => {
    const found = (await foundCauses(['session-reports', 'recordings'], false)).map((cause) => ({
      ...cause,
      account,
    }))
    const cause = found.at(-1)
    if (cause === undefined) throw new Error('nothing fell silent')
    const lines: string[] = []
    const output = { line: (text = '') => void lines.push(text) } as unknown as Output
    printHealth(output, found, 'Healthy.')
    const page = String(await causeList(found, NOW))
    const message = alertMessage({ told: found, reminded: [], recovered: [] }, NOW)
    const shown = page.replaceAll('&#39;', "'")
    for (const text of [lines.join(' '), shown, message.text]) {
      expect(text.replaceAll(/\s+/g, ' ')).toContain(cause.sentence.slice(1))
      expect(text.replaceAll(/\s+/g, ' ')).toContain(cause.todo)
    }
    const recovered = alertMessage({ told: [], reminded: [], recovered: found }, NOW)
    expect(recovered.text).toContain('the volume of session_reports is back to normal')
  })
})

async function causes(jobs: readonly string[], hears: boolean) {
  const found = await foundCauses(jobs, hears)
  return found.map(({ subject, sentence, todo }) => [subject, sentence, todo])
}

async function foundCauses(jobs: readonly string[], hearsNotifications: boolean) {
  const due = { schedule: '0 1 * * *', timezone: 'UTC' }
  const facts = await readFacts(warehouse, {
    account,
    settings: { graceHours: 3, diskFreeGb: 5 },
    jobs: Object.fromEntries(jobs.map((job) => [job, due])),
    fileJobs: [],
    awakeMs: undefined,
    loginKind: undefined,
    keepsEvidence: false,
    hearsNotifications,
    works: [],
  })
  const found = judgeVolume({ ...facts, archive: undefined, quotas: [] })
  return found.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))
}

async function insertRun(job: string, days: readonly KeptDays[]): Promise<void> {
  const summary = JSON.stringify({ days })
  await sql`insert into callsheet.runs (account, job, epoch, state, started_at, finished_at, summary)
    values (${account}, ${job}, 1, 'complete', callsheet.clock() - interval '61 days',
      callsheet.clock() - interval '60 days', ${summary}::jsonb)`.execute(warehouse.db)
}
