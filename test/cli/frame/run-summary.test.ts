import { expect, it } from 'vitest'
import { createOutput, type Output } from '../../../src/cli/frame/output.ts'
import { printRuns } from '../../../src/cli/frame/run-summary.ts'
import { TransportError } from '../../../src/core/errors.ts'
import type { RunResult } from '../../../src/sync/run/run-types.ts'
import { BLOCKS } from '../../docs/pages.ts'

function remarksOn(...results: RunResult[]): string[] {
  const notes: string[] = []
  const none = (): void => undefined
  const note = (text: string): void => void notes.push(text)
  const output: Output = { terminal: false, line: none, table: none, note, result: none }
  printRuns(output, 'acme', { results, labels: LABELS })
  return notes
}

const ran = (runId: number, job: string, problems: string[]): RunResult => ({
  runId,
  job,
  state: 'complete',
  problems,
  tables: {},
  slices: {},
  trippedGuards: [],
  notAllowed: {},
  read: [],
  durationMs: 0,
  error: undefined,
})
const letters = (at: number): string => String.fromCharCode(97 + at)
const kinds = (from: number, to: number): string[] =>
  Array.from(
    { length: to - from },
    (_none, at) => `slice ${from + at}: reason ${letters(from + at)}`,
  )

it('a run summary shows the run and the state of each table', () => {
  const tables: (readonly unknown[])[] = []
  const output = { ...createOutput({ json: true }), table: (rows: never) => void tables.push(rows) }
  const counts = { inserted: 1, updated: 0, unchanged: 0, deleted: 0, present: 1 }
  const rest = { ignored: 0, outside: 0, left: 0, quarantined: 0, anomalies: 0 }
  const both = { boards: { ...counts, ...rest }, members: { ...counts, ...rest } }
  const run = { ...ran(11, 'boards', []), state: 'incomplete' as const, tables: both }
  printRuns(output, 'acme', { results: [run], labels: LABELS })
  expect(tables[0]?.slice(1)).toEqual(
    ['boards', 'members'].map((table) => [table, 1, 0, 0, 0, 1, '', '11', 'incomplete']),
  )
})

it('a run summary calls tables that had nothing to read “nothing due”, not complete', () => {
  const tables: (readonly unknown[][])[] = []
  const output = { ...createOutput({ json: true }), table: (rows: never) => void tables.push(rows) }
  const counts = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, present: 1 }
  const rest = { ignored: 0, outside: 0, left: 0, quarantined: 0, anomalies: 0 }
  const all = { ...counts, ...rest }
  const none = { planned: 0, complete: 0, failed: 0, notAllowed: 0, notRead: 0 }
  const idle = { tables: { boards: all, members: all }, slices: { boards: none } }
  const half = {
    tables: { users: all, details: all },
    slices: { users: { ...none, planned: 1, complete: 1 }, details: none },
  }
  const results = [idle, half].map((one) => ({
    ...ran(11, 'boards', []),
    state: 'complete' as const,
    ...one,
  }))
  printRuns(output, 'acme', { results, labels: LABELS })
  expect(tables[0]?.slice(1).map((row) => [row[0], row.at(-1)])).toEqual([
    ['boards', 'nothing due'],
    ['members', 'nothing due'],
    ['users', 'complete'],
    ['details', 'nothing due'],
  ])
})

it('a run summary counts the records outside a part as docs/configure.md shows it', () => {
  const counts = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, present: 1 }
  const rest = { ignored: 0, outside: 76, left: 3, quarantined: 0, anomalies: 0 }
  const [, shown] = BLOCKS.filter(
    ({ page, language }) => page === 'docs/configure.md' && language === 'text',
  )
  expect(remarksOn({ ...ran(11, 'users', []), tables: { users: { ...counts, ...rest } } })).toEqual(
    shown?.text.trimEnd().split('\n'),
  )
})

it('a run summary says when pending files are downloaded', () => {
  const lines: string[] = []
  const output = { ...createOutput({ json: true }), line: (text = '') => void lines.push(text) }
  const none = { stored: 0, bytes: 0, expired: 0, missing: 0, pending: 0, unoffered: 0 }
  const run = (pending: number) => ({ ...ran(11, 'recordings', []), files: { ...none, pending } })
  printRuns(output, 'acme', { results: [run(0)], labels: LABELS })
  expect(lines.join()).not.toContain('Pending')
  printRuns(output, 'acme', { results: [run(1)], labels: LABELS })
  expect(lines).toContain(
    'Pending files are not downloaded yet. The next sync tries again; ' +
      'to try now: npm run callsheet -- archive',
  )
})

it('a run summary counts its unlisted kinds of problems, and names the command that lists them', () => {
  const cut = remarksOn(ran(11, 'users', kinds(0, 19)), ran(12, 'recordings', kinds(18, 23)))
  expect(cut.slice(19)).toEqual([
    'slice 19: reason t',
    '3 more kinds of problems, not listed here: see npm run callsheet -- runs 12',
  ])
  const [last] = remarksOn(ran(11, 'users', kinds(0, 21))).slice(20)
  expect(last).toBe('1 more kind of problem, not listed here: see npm run callsheet -- runs 11')
})

it('a run summary mentions no further problems if it lists all kinds', () => {
  const all = remarksOn(ran(11, 'users', [...kinds(0, 20), ...kinds(0, 20)]))
  expect(all).toHaveLength(20)
  expect(all.at(-1)).toBe('slice 19: reason t')
})

/** Messages of the same kind, with different windows, IDs and numbers. */
const windows = Array.from({ length: 142 }, (_none, at) => {
  const [from, to] = [at, at + 7].map((day) =>
    new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
  )
  const id = Buffer.from(`board ${at}`).toString('base64url')
  return (
    `whiteboards ${from}..${to}: reading whiteboards.list failed: expected boards from ${from} to ${to}, ` +
    `came ${at + 1} of ${at * 7} outside it, first ${id} (x-svc-trackingid t${at}); check the time zone`
  )
})

it('a run summary has one line for a problem in 142 slices, with the count and an example', () => {
  const [line, ...more] = remarksOn(ran(11, 'whiteboards', windows))
  expect(more).toEqual([])
  expect(line).toMatch(/^142 times, for example whiteboards 2026-01-01\.\.2026-01-08: reading /)
  expect(line).toContain('came 1 of 0 outside it')
})

it.each([
  ['statuses', 'answered with HTTP 500', 'answered with HTTP 403'],
  ['codes', 'was refused with code 3001', 'was refused with code 1001'],
  ['words', 'lacks 3 records', 'lacks 3 pages'],
])('a run summary does not group messages that differ in their %s', (_by, one, other) => {
  const said = remarksOn(ran(11, 'users', [`users a: ${one}`, `users b: ${other}`]))
  expect(said).toEqual([`users a: ${one}`, `users b: ${other}`])
})

it('a run summary groups messages that differ only in the ID of the slice', () => {
  const said = ['aBcDeF', 'gHiJkL', 'mNoPqR', 'sTuVwX'].map(
    (id) => `user_details user=${id}: GET /v2/users/${id} was answered with HTTP 500`,
  )
  expect(remarksOn(ran(11, 'user-details', said))).toEqual([
    '4 times, for example user_details user=aBcDeF: GET /v2/users/aBcDeF was answered with HTTP 500',
  ])
})

it('a run summary prints an error of several jobs once if only its call number differs', () => {
  const failed = (runId: number, job: string): RunResult => ({
    ...ran(runId, job, []),
    state: 'failed',
    error: new Error(`the service broke off call ${runId}`),
  })
  const said = remarksOn(failed(11, 'users'), failed(12, 'recordings')).join('\n')
  expect(said).toMatch(/^users, recordings:/)
  expect(said.match(/broke off/g)).toHaveLength(1)
})

it('a run summary says once that the service is down, what was not read, and what to type next', () => {
  const came = 'the connection failed (ECONNREFUSED 127.0.0.1:8080)'
  const down = (call: string): string => `${call}: ${came}. What to do: check the address.`
  const failure = {
    key: 'service_unavailable',
    depth: 0 as const,
    came: `the service is not available: ${came}`,
  }
  const failed = (planned: number) => ({
    planned,
    complete: 0,
    failed: planned,
    notAllowed: 0,
    notRead: 0,
  })
  const users = ['active', 'inactive', 'pending'].map(
    (status) => `users status=${status}: ${down('GET /users (users.list)')}`,
  )
  const places = `storage_locations all: ${down('GET /places (storage_locations.list)')}`
  const both = { state: 'incomplete' as const, failure }
  const refused = new TransportError('network', true, {
    tried: 'GET /users (users.list)',
    came,
    todo: 'check the address',
  })
  expect(
    remarksOn(
      { ...ran(11, 'users', users), ...both, slices: { users: failed(4) } },
      { ...ran(12, 'places', [places]), ...both, slices: { storage_locations: failed(1) } },
      { ...ran(13, 'user-details', []), state: 'failed', error: refused },
    ),
  ).toEqual([
    `The service is not available: ${came}`,
    '  not read:   users (4 slices), storage_locations (1 slice), user-details',
    '  what to do: check the address',
    '  then run:   npm run callsheet -- sync users places user-details',
  ])
})

it('a run summary puts the remedy of a problem on a line of its own, and still names the run', () => {
  const said =
    'users all: GET /users (users.list): HTTP 400 with code 300. What to do: check baseUrl.'
  expect(remarksOn({ ...ran(11, 'users', [said]), state: 'incomplete' })).toEqual([
    'users all: GET /users (users.list): HTTP 400 with code 300',
    '  what to do: check baseUrl',
    'users is incomplete: npm run callsheet -- runs 11 shows each slice',
  ])
})

const spent = { requests: 0, rateLimited: 0, spentToday: 0, dailyLimit: undefined }
const LABELS = { LIGHT: spent, MEDIUM: spent, HEAVY: spent, 'RESOURCE-INTENSIVE': spent }
