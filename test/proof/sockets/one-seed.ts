import { sql } from 'kysely'
import { type OpenAccount, openAccount } from '../../../src/account/open-account.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { Observer } from '../../../src/core/define/observer.ts'
import { CallsheetError } from '../../../src/core/errors.ts'
import { type Clock, systemClock } from '../../../src/core/time/clock.ts'
import { syncAccount } from '../../../src/sync/sync.ts'
import { connect } from '../../../src/warehouse/connect.ts'
import { findDifferences } from '../../helpers/differences.ts'
import { ledgerFaults } from '../digest.ts'
import { LANE_JOBS } from '../lane-jobs.ts'
import { ACCOUNT, openStage, STREAMS, type Stage } from '../stage.ts'
import { injectFaults, LOCK_TIMEOUT_MS } from './database-faults.ts'
import { type FaultPlan, planFaults } from './fault-plan.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import type { WriterTemplate } from './writer-template.ts'

export interface SeedEnd {
  violations: string[]
  /** Runs that were needed although nothing was disturbed any more. */
  runs: number
}

export interface Heard {
  /** Codes of what the engine met at the database. */
  database: Map<string, number>
  http: Map<string, number>
}

/** A first load and a sync of changes, each under faults and then healed, and after each compared. */
export async function runSeed(
  template: WriterTemplate,
  seed: number,
  heard: Heard,
): Promise<SeedEnd> {
  const stage = await openStage(template.server, {
    seed,
    sizes: SIZES,
    habits: { emptyPages: 0.15 },
  })
  const proxy = await startFaultProxy(stage.sandbox.url)
  const database = await stage.clone()
  const end: SeedEnd = { violations: [], runs: 0 }
  try {
    const place = {
      stage,
      proxy,
      url: stage.url(database),
      writer: template.asWriter(stage.url(database)),
    }
    for (const round of ROUNDS) {
      if (round > 0) stage.sandbox.mutate({ scale: 20 })
      const complete = await syncUnderFaults({ ...place, heard, end }, planFaults(seed, round))
      const faults = await compare(place)
      if (!complete) faults.push('not complete after it was healed (I9)')
      end.violations.push(...faults.map((text) => `seed ${seed}, round ${round}: ${text}`))
    }
    for (const [fault, times] of proxy.struck) add(heard.http, fault, times)
  } finally {
    await proxy.close()
    await stage.drop(database)
    await stage.close()
  }
  return end
}

interface Place {
  stage: Stage
  proxy: FaultProxy
  url: string
  writer: string
}

interface Tried extends Place {
  heard: Heard
  end: SeedEnd
}

/** True when it was complete in the end, with nothing in its way any more. */
async function syncUnderFaults(place: Tried, plan: FaultPlan): Promise<boolean> {
  const { proxy, url, end } = place
  proxy.use(plan)
  const injector = await injectFaults(url, plan)
  try {
    for (let run = 0; run < RUNS_UNDER_FAULTS; run++) {
      end.runs++
      if (await syncOnce(place)) break
    }
  } finally {
    proxy.use(undefined)
    await injector.stop()
  }
  await letLeaseRunOut(url)
  let complete = false
  for (let run = 0; run < RUNS_TO_HEAL && !complete; run++) {
    end.runs++
    complete = await syncOnce(place)
  }
  return complete
}

/**
 * A process that could not give its lease back would have ended, and be known as gone; ours lives on, so the
 * half minute after which anybody may take the lease passes here.
 */
async function letLeaseRunOut(url: string): Promise<void> {
  const warehouse = connect({ url, poolSize: 1 })
  await sql`update callsheet.leases set expires_at = callsheet.wall()`.execute(warehouse.db)
  await warehouse.close()
}

/** One process's life, but for the process. True when all of its runs are complete. */
async function syncOnce({
  stage,
  proxy,
  writer,
  heard,
}: Place & { heard: Heard }): Promise<boolean> {
  const { config } = loadConfig({
    path: stage.order('').configFile,
    jobs: LANE_JOBS,
    environment: {},
  })
  const nowMs = stage.sandbox.clock.now()
  const observer: Observer = {
    event(name, { code }) {
      if (name === 'database.retried') add(heard.database, String(code), 1)
    },
  }
  const warehouse = connect({
    url: writer,
    frozenNow: nowMs,
    poolSize: 6,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    applicationName: 'callsheet-proof',
  })
  const clock = hasty(nowMs)
  const wiring = { config, clock, observer, frozenNow: nowMs }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const settings = config.accounts[0]!
  const baseUrl = proxy.url + new URL(settings.baseUrl).pathname
  let account: OpenAccount | undefined
  try {
    account = await openAccount(
      frame,
      { ...settings, baseUrl, authUrl: proxy.url },
      { limits: LIMITS },
    )
    const signal = new AbortController().signal
    const results = await syncAccount(account.deps, {
      account: settings.name,
      jobs: LANE_JOBS,
      signal,
    })
    for (const { error } of results) noteError(heard, error)
    return results.every(({ state }) => state === 'complete')
  } catch (error) {
    // The database kept the run from being opened or closed; anything else is a defect.
    if (!(error instanceof CallsheetError)) throw error
    noteError(heard, error)
    return false
  } finally {
    await account?.close().catch(() => {})
    await warehouse.close()
  }
}

function noteError(heard: Heard, error: unknown): void {
  if (error instanceof CallsheetError) add(heard.database, error.code, 1)
}

async function compare({ stage, url }: Place): Promise<string[]> {
  const warehouse = connect({ url, poolSize: 1, frozenNow: stage.sandbox.clock.now() })
  try {
    const of = { account: ACCOUNT, streams: STREAMS }
    const { differences } = await findDifferences(warehouse, stage.sandbox, of)
    return [...differences, ...(await ledgerFaults(warehouse))]
  } finally {
    await warehouse.close()
  }
}

/** The wall stands still and all waits are a tenth as long; limits on a request are real. */
function hasty(nowMs: number): Clock {
  return {
    now: () => nowMs,
    elapsed: () => systemClock.elapsed() * HASTE,
    sleep: (ms, signal) => systemClock.sleep(ms / HASTE, signal),
    alarm: systemClock.alarm,
  }
}

function add(counts: Map<string, number>, name: string, times: number): void {
  counts.set(name, (counts.get(name) ?? 0) + times)
}

const ROUNDS = [0, 1] as const
const SIZES = {
  users: 900,
  sessions: 240,
  whiteboards: 8,
  activities: 60,
  recordings: 60,
  numbers: 400,
}
const LIMITS = { connectTimeoutMs: 2_000, headersTimeoutMs: 2_000, totalTimeoutMs: 5_000 }
const HASTE = 10
const RUNS_UNDER_FAULTS = 3
const RUNS_TO_HEAL = 3
