import { randomFrom } from '../../../sandbox/base/random.ts'
import { connect } from '../../../src/warehouse/connect.ts'
import { findDifferences } from '../../helpers/differences.ts'
import { ledgerFaults } from '../digest.ts'
import { runAndReport, traceOf } from '../kill/child-process.ts'
import { SIZES } from '../kill/scenarios.ts'
import { LANE_JOBS } from '../lane-jobs.ts'
import { type Order, runOrder } from '../run-order.ts'
import { ACCOUNT, openStage, STREAMS, type Stage } from '../stage.ts'
import { lostWrites, phantomWrites, writeAndNote } from './acked-writes.ts'
import { type CrashServer, startCrashServer } from './crash-server.ts'

export interface CrashPlan {
  seed: number
  crashes: number
}

export interface CrashSummary {
  crashes: number
  /** Syncs that outlived the crash under them and ended complete. */
  wentOn: number
  /** Syncs that had to be run again. */
  runAgain: number
  acked: number
  ambiguous: number
  violations: string[]
}

/** Crashes Postgres under a sync and under writers that note what was acknowledged; then compares. */
export async function crashLane({ seed, crashes }: CrashPlan): Promise<CrashSummary> {
  const server = await startCrashServer()
  const stage = await openStage(server, { seed, sizes: SIZES })
  const summary = { crashes: 0, wentOn: 0, runAgain: 0, acked: 0, ambiguous: 0, violations: [] }
  try {
    await crashOften({ server, stage, seed, crashes }, summary)
  } finally {
    await stage.close()
    await server.stop()
  }
  return summary
}

interface Work {
  server: CrashServer
  stage: Stage
  seed: number
  crashes: number
}

async function crashOften(work: Work, summary: CrashSummary): Promise<void> {
  const { server, stage, seed, crashes } = work
  const random = randomFrom(seed)
  const traced = await stage.clone()
  const { trace } = await traceOf(stage.order(traced), stage.directory)
  // Each file of each database has to be looked at in a recovery, so there is only this one.
  await stage.drop(traced)
  const database = server.template
  const writes = await writeAndNote(stage.url(database), 3)
  for (let round = 0; round < crashes; round++) {
    // Half of the syncs wait long enough to outlive the restart, half give up and are run again.
    const order = { ...stage.order(database), full: true, pauseMs: round % 2 === 0 ? 15 : 700 }
    const at = `*#${1 + Math.floor(random() * trace.length * 0.9)}`
    let crashed: Promise<void> | undefined
    const end = await runAndReport(order, at, () => {
      crashed = server.crash()
    })
    // A sync that had less to do ended before that hit: then the writers alone are crashed.
    await (crashed ?? server.crash())
    summary.crashes++
    if (end.said === COMPLETE) summary.wentOn++
    else {
      summary.runAgain++
      await runUntilComplete(order, summary)
    }
    summary.violations.push(...(await faultsOf(stage, order, round)))
    summary.violations.push(...(await lostWrites(stage.url(database), writes)))
    stage.sandbox.advance(3_600_000)
    stage.sandbox.mutate({ scale: 100 })
  }
  await writes.stop()
  summary.violations.push(...(await lostWrites(stage.url(database), writes)))
  summary.violations.push(...(await phantomWrites(stage.url(database), writes)))
  summary.acked = writes.acked.size
  summary.ambiguous = writes.ambiguous.size
}

async function runUntilComplete(order: Order, summary: CrashSummary): Promise<void> {
  let said = ''
  for (let attempt = 0; attempt < 3; attempt++) {
    said = (await runOrder(order)).map(({ state }) => state).join(' ')
    if (said === COMPLETE) return
  }
  summary.violations.push(`not complete after the restart: ${said}`)
}

async function faultsOf(stage: Stage, order: Order, round: number): Promise<string[]> {
  const warehouse = connect({ url: order.databaseUrl, poolSize: 1, frozenNow: order.nowMs })
  try {
    const of = { account: ACCOUNT, streams: STREAMS }
    const { differences } = await findDifferences(warehouse, stage.sandbox, of)
    const faults = await ledgerFaults(warehouse)
    return [...differences, ...faults].map((text) => `crash ${round + 1}: ${text}`)
  } finally {
    await warehouse.close()
  }
}

const COMPLETE = LANE_JOBS.map(() => 'complete').join(' ')
