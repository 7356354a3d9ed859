import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import userDetailsJob from '../jobs/user-details.ts'
import { jobs } from '../src/account/catalog.ts'
import { migrations } from '../src/account/migrations.ts'
import { type OpenAccount, openAccount } from '../src/account/open-account.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { silentObserver } from '../src/core/define/observer.ts'
import { systemClock } from '../src/core/time/clock.ts'
import { readStatus } from '../src/serve/health/read-status.ts'
import { planRun } from '../src/sync/plan-run.ts'
import { syncAccount } from '../src/sync/sync.ts'
import { connect, type Warehouse } from '../src/warehouse/connect.ts'
import { migrate, migrationStatus } from '../src/warehouse/migrate.ts'
import { type BenchDatabase, openDatabase } from './database.ts'
import { measurePrune } from './ledger-prune.ts'
import { fillLedger, LEDGER_ACCOUNT, makeMonths } from './ledger-rows.ts'
import type { Part } from './part.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

const YEARS_NIGHTS = 3 * 365
const MOST_TIMES = 1.3

/** What is timed, each from looking at the migrations on. */
export const STEPS: Readonly<Record<string, (stage: LedgerStage) => Promise<unknown>>> = {
  plan: async ({ warehouse, account: { deps } }) => {
    await migrationStatus(warehouse, migrations)
    await planRun(deps, { account: LEDGER_ACCOUNT, jobs })
  },
  status: async ({ warehouse }) => {
    await migrationStatus(warehouse, migrations)
    await readStatus(warehouse, { account: LEDGER_ACCOUNT, jobs, nowMs: BENCH_NOW_MS })
  },
  'sync of details, none of them due': async ({ warehouse, account: { deps } }) => {
    await migrate(warehouse, migrations)
    const signal = new AbortController().signal
    const options = { account: LEDGER_ACCOUNT, jobs: [userDetailsJob], full: false, signal }
    const [run] = await syncAccount(deps, options)
    if (run?.state !== 'complete') throw new Error(`The sync was ${run?.state}`)
  },
}

/** Plan, status and the start of a sync, where the ledger holds one night and where it holds three years. */
export const ledgerPart: Part = {
  about: 'plan, status and the start of a sync after three years of ledger',
  async measure({ rows, quick }) {
    const users = rows ?? (quick ? 2_000 : 20_000)
    const fresh = await openLedgerStage(users, 1)
    const old = await openLedgerStage(users, quick ? 365 : YEARS_NIGHTS)
    try {
      const times = await timeInTurns([fresh, old], quick ? 3 : 7)
      const of = (stage: LedgerStage, step: string) => middle(times.get(stage)?.get(step) ?? [])
      const figures = Object.keys(STEPS).map((step) => {
        const ratio = of(old, step) / of(fresh, step)
        return {
          what: `${step}, ${users.toLocaleString('en')} users`,
          measured: `${ratio.toFixed(2)} x a fresh account`,
          beside: `${of(old, step).toFixed(0)} to ${of(fresh, step).toFixed(0)} ms`,
          target: `<= ${MOST_TIMES}`,
          met: ratio <= MOST_TIMES,
        }
      })
      const entries = [fresh, old].map(({ entries: n }) => n.toLocaleString('en'))
      const lines = [
        ['ledger', 'fresh', 'old'],
        ['entries', ...entries],
      ]
      const pruned = await measurePrune(old.warehouse)
      // Nothing is due since: what it would ask, nobody answers.
      for (const work of Object.values(STEPS)) await work(old)
      return {
        figures: [...figures, pruned.figure],
        tables: [
          { title: 'ledger, what the two hold', lines },
          { title: 'ledger, old months dropped', lines: pruned.lines },
        ],
      }
    } finally {
      for (const stage of [fresh, old]) await stage.close()
    }
  },
}

export interface LedgerStage {
  warehouse: Warehouse
  account: OpenAccount
  entries: number
  database: BenchDatabase
  close(): Promise<void>
}

export async function openLedgerStage(users: number, nights: number): Promise<LedgerStage> {
  const database = await openDatabase()
  await makeMonths(database.url, Math.ceil(nights / 30))
  const warehouse = connect({
    url: database.url,
    frozenNow: BENCH_NOW_MS,
    poolSize: 4,
    statementTimeoutMs: 1_800_000,
  })
  const entries = await fillLedger(warehouse, { users, nights })
  const account = await openBenchAccount(database, warehouse)
  return {
    warehouse,
    account,
    entries,
    database,
    async close() {
      await account.close()
      await warehouse.close()
      await database.stop()
    },
  }
}

/** Nothing is due, so that nobody listens at its addresses. */
async function openBenchAccount(
  { directory }: BenchDatabase,
  warehouse: Warehouse,
): Promise<OpenAccount> {
  const path = join(directory, 'bench.yaml')
  const url = 'http://127.0.0.1:9'
  const app = { accountId: 'bench', clientId: 'bench', clientSecret: 'bench' }
  const one = { name: LEDGER_ACCOUNT, baseUrl: `${url}/v2`, authUrl: url, ...app }
  const settings = { ...one, videoSessions: { auth: 'oauth' } }
  const archive = { files: false }
  writeFileSync(path, JSON.stringify({ stateDirectory: directory, archive, accounts: [settings] }))
  const { config } = loadConfig({ path, jobs, environment: {} })
  const clock = { ...systemClock, now: () => BENCH_NOW_MS }
  const wiring = { config, clock, observer: silentObserver, frozenNow: BENCH_NOW_MS }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const [account] = await Promise.all(config.accounts.map((each) => openAccount(frame, each)))
  if (account === undefined) throw new Error('The bench has no account')
  return account
}

/** In turns, so that what else the machine does weighs on both alike; the first turn only warms up. */
async function timeInTurns(
  stages: readonly LedgerStage[],
  turns: number,
): Promise<Map<LedgerStage, Map<string, number[]>>> {
  const times = new Map(stages.map((stage) => [stage, new Map<string, number[]>()]))
  for (let turn = 0; turn <= turns; turn++)
    for (const [step, work] of Object.entries(STEPS))
      for (const stage of stages) {
        const startedMs = performance.now()
        await work(stage)
        const takenMs = performance.now() - startedMs
        const of = times.get(stage)
        if (turn > 0) of?.set(step, [...(of.get(step) ?? []), takenMs])
      }
  return times
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
