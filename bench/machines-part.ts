import { silentObserver } from '../src/core/define/observer.ts'
import { systemClock } from '../src/core/time/clock.ts'
import { attemptsInLedger } from '../src/serve/ledger/attempts.ts'
import { installQueue, openQueue } from '../src/serve/queue/queue.ts'
import { connect, type Warehouse } from '../src/warehouse/connect.ts'
import { openDatabase } from './database.ts'
import { type Figure, milliseconds, seconds } from './figures.ts'
import { measureServed } from './machines-memory.ts'
import type { Part } from './part.ts'

const JOBS = 10
const NIGHTS = 30
const PLACES_AT_ONCE = 8
/** As long as a small account's night on a fast service. */
const NIGHT_MS = 1_000

/** What machines that share the work ask of the database besides the work itself. */
export const machinesPart: Part = {
  about: 'looks for what is due, the queue, and idle machines, for many accounts',
  async measure(options) {
    const { quick } = options
    const database = await openDatabase()
    const warehouse = connect({ url: database.url, poolSize: 6, statementTimeoutMs: 900_000 })
    try {
      await installQueue({ warehouse, observer: silentObserver })
      const lines = [
        ['accounts', 'one look, all due', 'to offer all', 'offered again', 'taken and done'],
      ]
      for (const accounts of quick ? [200] : [200, 2_000, 10_000]) {
        await fillRuns(warehouse, accounts, quick ? 10 : NIGHTS)
        const looked = await timed(() => look(warehouse, accounts))
        lines.push([
          accounts.toLocaleString('en'),
          milliseconds(looked),
          ...(await timeQueue(warehouse, accounts)),
        ])
      }
      const figures: Figure[] = []
      for (const accounts of quick ? [10] : [10, 200])
        figures.push(await waitFigure(warehouse, accounts))
      const idle = await idleCost(warehouse, quick ? 10 : 60)
      const served = await measureServed({ database, warehouse }, options)
      figures.push(served.figure)
      return {
        figures,
        tables: [
          { title: `${JOBS} jobs an account, ${quick ? 10 : NIGHTS} nights in the ledger`, lines },
          { title: 'an idle machine, as configured by default', lines: idle },
          served.table,
        ],
      }
    } finally {
      await warehouse.close()
      await database.stop()
    }
  },
}

/** A complete run of each job of each account in each night. */
async function fillRuns(warehouse: Warehouse, accounts: number, nights: number): Promise<void> {
  await warehouse.withClient(async (client) => {
    await client.query('truncate callsheet.runs cascade')
    await client.query(
      `insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
       select 'account-' || a, 'job-' || j, 1, 'complete', now() - make_interval(days => n),
         now() - make_interval(days => n) + interval '1 minute'
       from generate_series(1, $3::int) n, generate_series(1, $1::int) a, generate_series(1, $2::int) j`,
      [accounts, JOBS, nights],
    )
    await client.query('vacuum analyze callsheet.runs')
  })
}

async function look(warehouse: Warehouse, accounts: number): Promise<void> {
  const sinceMs = systemClock.now() - 3_600_000
  const works = names(accounts).flatMap((account) =>
    Array.from({ length: JOBS }, (_, job) => ({ account, job: `job-${job + 1}`, sinceMs })),
  )
  await attemptsInLedger(warehouse, works)
}

/** How long it takes to offer a place for each account, again, and to take all of them without work. */
async function timeQueue(warehouse: Warehouse, accounts: number): Promise<string[]> {
  const queue = await openQueue({ warehouse, observer: silentObserver })
  const offers = names(accounts).map((place) => ({ place, priority: -1 }))
  const first = await timed(() => queue.offer(offers))
  const again = await timed(() => queue.offer(offers))
  const taken = await timed(async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let count = 0
    await queue.take(PLACES_AT_ONCE, async () => {
      await Promise.resolve()
      if (++count === accounts) resolve()
    })
    await promise
  })
  await queue.close()
  return [
    milliseconds(first),
    milliseconds(again),
    `${((accounts / taken) * 1000).toFixed(0)} a second`,
  ]
}

/** When the last of the accounts is done, beside the one in the middle, where each takes as long. */
async function waitFigure(warehouse: Warehouse, accounts: number): Promise<Figure> {
  const queue = await openQueue({ warehouse, observer: silentObserver })
  await queue.offer(names(accounts).map((place) => ({ place, priority: -1 })))
  const startedMs = performance.now()
  const doneMs: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  await queue.take(PLACES_AT_ONCE, async () => {
    await systemClock.sleep(NIGHT_MS)
    doneMs.push(performance.now() - startedMs)
    if (doneMs.length === accounts) resolve()
  })
  await promise
  await queue.close()
  const [middle = 0, last = 0] = [doneMs[(accounts - 1) >> 1], doneMs.at(-1)]
  return {
    what: `the last of ${accounts} accounts, ${PLACES_AT_ONCE} at once, ${NIGHT_MS} ms each`,
    measured: `${(last / middle).toFixed(2)} x the one in the middle`,
    beside: `${seconds(last)} to ${seconds(middle)}`,
    target: '<= 3',
    met: last <= 3 * middle,
  }
}

/** Transactions and connections of a machine that has nothing to do. */
async function idleCost(warehouse: Warehouse, forSeconds: number): Promise<string[][]> {
  const own = warehouse.withPatience(60_000)
  const queue = await openQueue({ warehouse: own, observer: silentObserver })
  await queue.take(PLACES_AT_ONCE, async () => await Promise.resolve())
  // The server counts late what was done before.
  await systemClock.sleep(5_000)
  const before = await committed(warehouse)
  await systemClock.sleep(forSeconds * 1000)
  const after = await committed(warehouse)
  const connections = own.pool.totalCount
  await queue.close()
  await own.close()
  return [
    ['places at once', 'transactions a second', 'connections of the queue'],
    [String(PLACES_AT_ONCE), ((after - before) / forSeconds).toFixed(1), String(connections)],
  ]
}

async function committed(warehouse: Warehouse): Promise<number> {
  return await warehouse.withClient(async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `select xact_commit::text as count from pg_stat_database where datname = current_database()`,
    )
    return Number(rows[0]?.count)
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

function names(accounts: number): string[] {
  return Array.from({ length: accounts }, (_, at) => `account-${at + 1}`)
}
