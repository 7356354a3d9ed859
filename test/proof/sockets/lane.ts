import { systemClock } from '../../../src/core/clock.ts'
import type { Server } from '../stage.ts'
import { HTTP_FAULTS } from './fault-plan.ts'
import { type Heard, runSeed } from './one-seed.ts'
import { makeWriterTemplate } from './writer-template.ts'

export interface SocketPlan {
  firstSeed: number
  /** At least so many, and then on until the time is over. */
  seeds: number
  forMs: number
  atOnce: number
}

export interface SocketSummary {
  seeds: number
  runs: number
  /** How often each struck: at the service as the proxy counts, at the database as the engine met it. */
  faults: Record<string, number>
  violations: string[]
}

/** Seed after seed over real sockets and a real Postgres, each under a plan of faults of its own. */
export async function socketLane(server: Server, plan: SocketPlan): Promise<SocketSummary> {
  const template = await makeWriterTemplate(server)
  const heard: Heard = { database: new Map(), http: new Map() }
  const summary: SocketSummary = { seeds: 0, runs: 0, faults: {}, violations: [] }
  const startedMs = systemClock.elapsed()
  let next = plan.firstSeed
  const work = async (): Promise<void> => {
    while (wanted(plan, next, systemClock.elapsed() - startedMs)) {
      const { violations, runs } = await runSeed(template, next++, heard)
      summary.seeds++
      summary.runs += runs
      summary.violations.push(...violations)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: plan.atOnce }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  for (const fault of HTTP_FAULTS) summary.faults[fault] = heard.http.get(fault) ?? 0
  for (const [fault, codes] of Object.entries(DATABASE_CODES))
    summary.faults[fault] = codes.reduce((sum, code) => sum + (heard.database.get(code) ?? 0), 0)
  return summary
}

function wanted({ firstSeed, seeds, forMs }: SocketPlan, next: number, elapsedMs: number): boolean {
  return next - firstSeed < seeds || elapsedMs < forMs
}

/** Faults that struck fewer times than the floor: then the lane did not test what it says. */
export function belowFloor({ faults }: SocketSummary, floor: number): string[] {
  return Object.entries(faults)
    .filter(([, times]) => times < floor)
    .map(([fault, times]) => `${fault}: ${times} times`)
}

/** By which codes the engine tells of each fault. */
const DATABASE_CODES: Readonly<Record<string, readonly string[]>> = {
  'backend terminated': ['connection_lost', 'commit_unknown'],
  deadlock: ['deadlock'],
  'serialization failure': ['serialization_failure'],
  'lock timeout': ['lock_timeout'],
  'read-only': ['database_read_only'],
  'too many connections': ['too_many_connections'],
}
