import sessionReportsJob from '../jobs/session-reports.ts'
import usersJob from '../jobs/users.ts'
import type { Job } from '../src/core/define/job.ts'
import type { Stream } from '../src/core/define/stream.ts'
import { DAY_MS, utcDay } from '../src/core/time/time.ts'
import { sessionReports } from '../src/resources/session-reports.ts'
import { users } from '../src/resources/users.ts'
import { BENCH_NOW_MS, sessionReport, startOf } from './session-rows.ts'
import { STATUSES, statusBounds, userRecord } from './user-rows.ts'

/** A list of the service, with as many rows as wanted. */
export interface Source {
  title: string
  stream: Stream
  job: Job
  path: string
  /** The list's most records a page. */
  pageRows: number
  recordAt(index: number, count: number): Record<string, unknown>
  /** A text field that ends in digits, by which a record can be made to change. */
  changing: string
  /** The rows that a request asks for, as positions, and what its answer says of the range. */
  range(query: URLSearchParams, count: number): { first: number; beyond: number; echo: object }
  /** Whether its answers tell the total. */
  tellsTotal: boolean
  /** How a plain script asks for all of it: each of these is the first page of a token chain. */
  scriptQueries(): string[]
}

export const sources: Readonly<Record<string, Source>> = {
  users: {
    title: 'users, pages of 300',
    stream: users,
    job: usersJob,
    path: '/v2/users',
    pageRows: 300,
    recordAt: userRecord,
    changing: 'dept',
    range(query, count) {
      const at = STATUSES.findIndex((status) => status === query.get('status'))
      if (at < 0) return { first: 0, beyond: count, echo: {} }
      const [first = 0, beyond = 0] = statusBounds(count).slice(at)
      return { first, beyond, echo: {} }
    },
    tellsTotal: true,
    scriptQueries: () => STATUSES.map((status) => `status=${status}&page_size=300`),
  },
  sessions: {
    title: 'session reports, pages of 100',
    stream: sessionReports,
    job: sessionReportsJob,
    path: '/v2/videosdk/sessions',
    pageRows: 100,
    recordAt: sessionReport,
    changing: 'session_key',
    range(query, count) {
      const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
      const first = firstFrom(Date.parse(from), count)
      return { first, beyond: firstFrom(Date.parse(to) + DAY_MS, count), echo: { from, to } }
    },
    tellsTotal: false,
    scriptQueries: months,
  },
}

/** Six months as a plain script would ask for them: as long as the service allows, and without overlap. */
function months(): string[] {
  const queries: string[] = []
  for (let ms = BENCH_NOW_MS - 180 * DAY_MS; ms <= BENCH_NOW_MS; ms += 30 * DAY_MS)
    queries.push(`type=past&from=${utcDay(ms)}&to=${utcDay(ms + 29 * DAY_MS)}&page_size=300`)
  return queries
}

/** The first report that starts at or after the instant. */
function firstFrom(epochMs: number, count: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (startOf(middle, count) < epochMs) low = middle + 1
    else high = middle
  }
  return low
}
