import { expect, it } from 'vitest'
import { z } from 'zod'
import { reports } from '../../src/account/catalog.ts'
import { defineReport } from '../../src/core/define/report.ts'
import { covering, type TouchedRows, touchedOf } from '../../src/erasure/covering-reports.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { users } from '../../src/resources/users.ts'

const at = (text: string): number => Date.parse(text)
const broken = defineReport({
  name: 'broken',
  title: 'Broken',
  params: z.object({}),
  needs: [sessionReports],
  looksBackDays: 1,
  periods: () => {
    throw new Error('no such month')
  },
  build: () => Promise.resolve([]),
})

function row(report: string, params: object = {}, published = '2026-08-02') {
  const publishedMs = at(published)
  return {
    report,
    params: { ...params },
    asked: { timeZone: 'UTC' },
    asOfMs: publishedMs,
    publishedMs,
  }
}

function touched(stream: string | undefined, days?: readonly string[], since = '2026-01-01') {
  return { stream, days: days?.map(at), sinceMs: at(since) } satisfies TouchedRows
}

const sessions = (...days: string[]) => touched('session_reports', days)
const JULY = row('session-quality', { month: '2026-07' })
const BUNDLE = row('audit-export', { from: '2026-07-01T00:00:00Z', to: '2026-08-01T00:00:00Z' })
const OTHER = sessions('2025-05-31', '2026-08-01')

it.each([
  ['rows of its month', JULY, sessions('2026-07-03'), 'covers'],
  ['rows of its last day', JULY, sessions('2026-07-31'), 'covers'],
  ['rows of the first month of its history', JULY, sessions('2025-08-01'), 'covers'],
  ['rows, some of which are of its month', JULY, sessions('2025-01-01', '2026-07-03'), 'covers'],
  ['rows only of earlier and later months', JULY, OTHER, 'none'],
  ['rows without a time', JULY, touched('session_reports'), 'covers'],
  [
    'rows first seen after its month',
    JULY,
    touched('session_reports', undefined, '2026-08-03'),
    'none',
  ],
  ['another table', JULY, touched('users'), 'none'],
  ['an inventory without a period', row('number-inventory'), touched('users'), 'covers'],
  ['an optional table of the report', row('whiteboard-audit'), touched('whiteboards'), 'covers'],
  ['an exported table', row('table-export', { stream: 'users' }), touched('users'), 'covers'],
  ['another exported table', row('table-export', { stream: 'x' }), touched('users'), 'none'],
  ['a bundle', BUNDLE, touched('users'), 'covers'],
  ['a report that no longer exists', row('long-gone'), OTHER, 'covers'],
  ['a report of unlimited history', row('recordings'), OTHER, 'covers'],
  ['a report of unknown period', row('broken'), OTHER, 'covers'],
  [
    'a ledger report, and rows',
    row('reconciliation', { day: '2026-07-01' }),
    touched('users'),
    'none',
  ],
  [
    'a ledger report, and ledger rows',
    row('reconciliation', { day: '2026-07-01' }),
    touched(undefined),
    'covers',
  ],
  [
    'a ledger report without a day, and later ledger rows',
    row('reconciliation'),
    touched(undefined, undefined, '2026-09-01'),
    'unsure',
  ],
  ['a report of rows, and ledger rows', JULY, touched(undefined), 'none'],
] as const)(
  'a published report covers erased rows or not: %s',
  (_what, published, rows, expected) => {
    expect(covering([...reports, broken], published, rows)).toBe(expected)
  },
)

it('the facts about erased rows are their table, their days and when they were first seen', () => {
  const rows = [
    { start_time: '2026-07-03T00:00:00Z', _first_seen_at: '2026-07-05T00:00:00Z' },
    { start_time: '2026-07-01T13:00:00Z', _first_seen_at: '2026-07-06T00:00:00Z' },
  ]
  const json = rows.map((one) => JSON.stringify(one))
  expect(touchedOf(sessionReports, json)).toEqual({
    stream: 'session_reports',
    days: [at('2026-07-03'), at('2026-07-01')],
    sinceMs: at('2026-07-05'),
  })
  expect(touchedOf(sessionReports, [...json, '{}'])).toMatchObject({
    days: undefined,
    sinceMs: -Infinity,
  })
  expect(touchedOf(users, json)).toMatchObject({ stream: 'users', days: undefined })
})
