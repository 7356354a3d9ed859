import { sql } from 'kysely'
import type { Sandbox } from '../../../sandbox/server/server.ts'
import type { Stream } from '../../../src/core/define/stream.ts'
import { skewOf } from '../../../src/core/time/next-start.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { findDifferences } from '../../helpers/differences.ts'
import type { Machine } from './machine.ts'

export interface Done {
  done: number
  doneInAll: number
  interrupted: number
}

/** Of the jobs of all accounts, by the ledger: `done` are those since an instant. */
export async function countDone(warehouse: Warehouse, sinceMs: number): Promise<Done> {
  const { rows } = await sql<Done>`
    select count(distinct (account, job)) filter (where state = 'complete'
        and started_at >= to_timestamp(${sinceMs} / 1000.0))::int as done,
      count(*) filter (where state = 'complete')::int as "doneInAll",
      count(*) filter (where state not in ('complete', 'running'))::int as interrupted
    from callsheet.runs`.execute(warehouse.db)
  return rows[0] ?? { done: 0, doneInAll: 0, interrupted: 0 }
}

interface Checked {
  warehouse: Warehouse
  sandbox: Sandbox
  machines: readonly Machine[]
  streams: readonly Stream[]
  plan: { everyMinutes?: number }
}

export async function violationsOf({ warehouse, sandbox, ...rest }: Checked): Promise<string[]> {
  const { machines, streams, plan } = rest
  const found = [...atOnce(machines), ...errorsOf(machines)]
  const spanMs = (plan.everyMinutes ?? YEAR_MINUTES) * 60_000
  // A run shortly before a due time counts as one at it.
  const { rows } = await sql<{ account: string; job: string; times: number }>`
    select account, job, count(*)::int as times from callsheet.runs where state = 'complete'
    group by 1, 2, floor((extract(epoch from started_at) * 1000 + ${skewOf(0, spanMs)}) / ${spanMs})
    having count(*) > 1`.execute(warehouse.db)
  for (const { account, job, times } of rows)
    found.push(`${account} ${job} was done ${times} times`)
  for (const [at, { accountId }] of sandbox.credentials.entries()) {
    const of = { account: `account-${at}`, accountId, streams }
    const { rows: compared, differences } = await findDifferences(warehouse, sandbox, of)
    if (compared === 0) found.push(`account-${at} has nothing to compare`)
    found.push(...differences.map((text) => `account-${at} ${text}`))
  }
  return found
}

interface Visit {
  machine: string
  account: string
  fromMs: number
  toMs: number
}

/**
 * Two machines at one account, neither of which was in trouble. A machine in trouble may believe for a while
 * that an account is its own: its lease keeps it from writing then, and the tables are compared.
 */
function atOnce(machines: readonly Machine[]): string[] {
  const visits = machines
    .flatMap((machine) => visitsOf(machine))
    .toSorted((a, b) => a.fromMs - b.fromMs)
  const byAccount = Map.groupBy(visits, ({ account }) => account)
  return [...byAccount.values()].flatMap((list) =>
    list.flatMap((visit, at) =>
      list
        .slice(at + 1)
        .filter(({ machine, fromMs }) => machine !== visit.machine && fromMs < visit.toMs)
        .map(
          ({ machine, account }) => `${visit.machine} and ${machine} were at ${account} at once`,
        ),
    ),
  )
}

/** From the start of a job to the line that ends it; without those that a trouble met. */
function visitsOf({ name, lines, troubles }: Machine): Visit[] {
  const open = new Map<string, number>()
  const visits: Visit[] = []
  for (const { event, account = '', job = '', time } of lines) {
    const key = `${account} ${job}`
    if (event === 'job started') open.set(key, Date.parse(time))
    const fromMs = open.get(key)
    if (fromMs === undefined || !ENDS.test(event)) continue
    open.delete(key)
    const toMs = Date.parse(time)
    const met = troubles.some((trouble) => trouble.fromMs <= toMs && fromMs <= trouble.toMs)
    if (!met) visits.push({ machine: name, account, fromMs, toMs })
  }
  return visits
}

/** Without trouble nothing fails. */
function errorsOf(machines: readonly Machine[]): string[] {
  return machines.flatMap(({ name, lines, troubles }) =>
    lines
      .filter(({ level }) => level === 'error')
      .filter(({ time }) => {
        const atMs = Date.parse(time)
        return !troubles.some(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs)
      })
      .map((line) => `${name}: ${JSON.stringify(line)}`),
  )
}

const YEAR_MINUTES = 366 * 24 * 60
const ENDS = /^job (ended|failed|stopped|waits)/
