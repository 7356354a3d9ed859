import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { jobs } from '../src/account/catalog.ts'
import type { Wiring } from '../src/account/wire.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { silentObserver } from '../src/core/define/observer.ts'
import { systemClock } from '../src/core/time/clock.ts'
import { readShownHealth } from '../src/serve/health/account-health.ts'
import { openStatusSources } from '../src/serve/health/status-sources.ts'
import { createMetrics } from '../src/serve/metrics/metrics.ts'
import { connect, type Warehouse } from '../src/warehouse/connect.ts'
import { remakeAllStates } from '../test/helpers/slice-states.ts'
import { type BenchDatabase, openDatabase } from './database.ts'
import { type Figure, milliseconds, type Table } from './figures.ts'
import type { Part } from './part.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

const FEW = 10
const NIGHTS = 30
const USERS = 200
const SCRAPES = 20
const MOST_TIMES = 1.3
/** By default Prometheus waits ten seconds for an answer. */
const MOST_SCRAPE_MS = 1_000

/** The time of a round over all accounts, and of a scrape of `/metrics` after it. */
interface Taken {
  accounts: number
  roundMs: number
  ownMs: number
  postgresMs: number
  scrapeMs: number
  bytes: number
}

/** What the status page and `/metrics` cost as accounts grow. */
export const accountsPart: Part = {
  about: 'the reading behind the status page and `/metrics`, for ten accounts and two hundred',
  async measure({ rows, quick }) {
    const many = rows ?? (quick ? 40 : 200)
    const [few, all] = [await measureAccounts(FEW), await measureAccounts(many)]
    const each = ({ accounts, ownMs, postgresMs }: Taken): number => (ownMs + postgresMs) / accounts
    const ratio = each(all) / each(few)
    const figures: Figure[] = [
      {
        what: `a round, CPU an account, ${FEW} to ${many} accounts`,
        measured: `${ratio.toFixed(2)} x`,
        beside: `${milliseconds(each(few))} to ${milliseconds(each(all))}`,
        target: `<= ${MOST_TIMES}`,
        met: ratio <= MOST_TIMES,
      },
      {
        what: `a scrape, ${many} accounts`,
        measured: milliseconds(all.scrapeMs),
        beside: `${milliseconds(few.scrapeMs)} for ${FEW}`,
        target: `<= ${milliseconds(MOST_SCRAPE_MS)}`,
        met: all.scrapeMs <= MOST_SCRAPE_MS,
      },
    ]
    return { figures, tables: [tableOf([few, all])] }
  },
}

function tableOf(taken: readonly Taken[]): Table {
  const lines = taken.map(({ accounts, roundMs, ownMs, postgresMs, scrapeMs, bytes }) => [
    String(accounts),
    milliseconds(roundMs),
    milliseconds(ownMs),
    milliseconds(postgresMs),
    milliseconds(scrapeMs),
    `${(bytes / 1024).toFixed(0)} KB`,
  ])
  const header = ['accounts', 'a round', 'our CPU', 'of Postgres', 'a scrape', 'its text']
  return { title: `accounts: ${USERS} users and ${NIGHTS} nights each`, lines: [header, ...lines] }
}

async function measureAccounts(accounts: number): Promise<Taken> {
  const database = await openDatabase()
  const warehouse = connect({
    url: database.url,
    frozenNow: BENCH_NOW_MS,
    poolSize: 4,
    statementTimeoutMs: 900_000,
  })
  const ended = new AbortController()
  try {
    await fill(warehouse, accounts)
    const wiring = wiringOf(database, accounts)
    const { signal } = ended
    // Each opening reads all anew. The first makes plans and schemas that both sizes need.
    await round(warehouse, wiring, signal)
    const before = await database.done()
    const [own, startedMs] = [process.cpuUsage(), performance.now()]
    const metrics = await round(warehouse, wiring, signal)
    const roundMs = performance.now() - startedMs
    const { user, system } = process.cpuUsage(own)
    const after = await database.done()
    const scrape = performance.now()
    let text = ''
    for (let n = 0; n < SCRAPES; n++) text = (await metrics()).text
    const scrapeMs = (performance.now() - scrape) / SCRAPES
    const postgresMs = (after.cpuMs ?? 0) - (before.cpuMs ?? 0)
    const bytes = Buffer.byteLength(text)
    return { accounts, roundMs, ownMs: (user + system) / 1000, postgresMs, scrapeMs, bytes }
  } finally {
    ended.abort()
    await warehouse.close()
    await database.stop()
  }
}

/** Reads all accounts once; the metrics then render what was read. */
async function round(
  warehouse: Warehouse,
  wiring: Wiring,
  signal: AbortSignal,
): Promise<ReturnType<typeof createMetrics>> {
  const opened = { warehouse, wiring }
  const sources = openStatusSources(opened, wiring.config.accounts, {
    readShownHealth: (...of) => readShownHealth(...of, BENCH_NOW_MS),
    signal,
  })
  while ((await sources.snapshots()) === undefined);
  return createMetrics({
    observer: silentObserver,
    sources: () => sources,
    notReady: () => Promise.resolve(undefined),
  })
}

function wiringOf({ directory }: BenchDatabase, accounts: number): Wiring {
  const path = join(directory, 'bench.yaml')
  const url = 'http://127.0.0.1:9'
  const named = Array.from({ length: accounts }, (_, n) => ({
    name: `account-${n + 1}`,
    baseUrl: `${url}/v2`,
    authUrl: url,
    accountId: `bench-${n}`,
    clientId: `bench-${n}`,
    clientSecret: 'bench',
  }))
  const settings = { stateDirectory: directory, archive: { files: false }, accounts: named }
  writeFileSync(path, JSON.stringify(settings))
  const { config } = loadConfig({ path, jobs, environment: {} })
  const clock = { ...systemClock, now: () => BENCH_NOW_MS }
  return { config, clock, observer: silentObserver, frozenNow: BENCH_NOW_MS }
}

/** Users, and a complete run of each job in each night with its lists. */
async function fill({ db }: Warehouse, accounts: number): Promise<void> {
  const people = sql`generate_series(1, ${accounts}::int) a, generate_series(1, ${USERS}::int) n`
  const at = sql`to_timestamp(${BENCH_NOW_MS / 1000})`
  await sql`insert into svc.users (account, id, email, display_name, status, _raw, _hash, _first_seen_at,
      _changed_at, _run_id)
    select 'account-' || a, md5(n::text), n || '@example.com', 'Person ' || n, 'active', '{}'::jsonb,
      decode(md5(n::text), 'hex'), ${at}, ${at}, 1 from ${people}`.execute(db)
  const names = jobs.map(({ name }) => name)
  await sql`insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
    select 'account-' || a, job, 1, 'complete', ${at} - make_interval(days => ago),
      ${at} - make_interval(days => ago) + interval '1 minute'
    from generate_series(${NIGHTS}::int, 1, -1) ago, generate_series(1, ${accounts}::int) a,
      unnest(${names}::text[]) job order by ago desc, a, job`.execute(db)
  await sql`insert into callsheet.slices (account, stream, slice, run_id, state, requested_at, finished_at,
      pages, received, inserted, updated, unchanged, ignored, quarantined, deleted, checked)
    select r.account, 'users', 'status=' || status, r.id, 'complete', r.started_at, r.finished_at, 1,
      ${USERS}, 0, 0, ${USERS}, 0, 0, 0, true
    from callsheet.runs r, unnest(array['active', 'inactive', 'pending']) status
    where r.job = 'users'`.execute(db)
  await remakeAllStates(db)
  await sql`vacuum analyze`.execute(db)
}
