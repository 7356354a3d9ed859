import type { Server } from '../stage.ts'
import { HTTP_FAULTS } from './fault-plan.ts'
import { type Heard, runSeed } from './one-seed.ts'
import { makeWriterTemplate } from './writer-template.ts'

export interface SocketPlan {
  firstSeed: number
  /** At least so many, and on until each fault struck as often as the floor says: twice as many at most. */
  seeds: number
  floor: number
  atOnce: number
}

export interface SocketSummary {
  seeds: number
  runs: number
  /** How often each struck: at the service as the proxy counts, at the database as the engine met it. */
  faults: Record<string, number>
  /** Faults that struck fewer times than the floor all the same: then the lane did not test what it says. */
  belowFloor: string[]
  violations: string[]
}

/** Seed after seed over real sockets and a real Postgres, each under a plan of faults of its own. */
export async function socketLane(server: Server, plan: SocketPlan): Promise<SocketSummary> {
  const template = await makeWriterTemplate(server)
  const heard: Heard = { database: new Map(), http: new Map() }
  const summary: SocketSummary = { seeds: 0, runs: 0, faults: {}, belowFloor: [], violations: [] }
  let begun = 0
  const wanted = (): boolean =>
    begun < plan.seeds || (begun < plan.seeds * 2 && belowFloor(heard, plan.floor).length > 0)
  const work = async (): Promise<void> => {
    while (wanted()) {
      const { violations, runs } = await runSeed(template, plan.firstSeed + begun++, heard)
      summary.seeds++
      summary.runs += runs
      summary.violations.push(...violations)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: plan.atOnce }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  summary.faults = timesOf(heard)
  summary.belowFloor = belowFloor(heard, plan.floor)
  return summary
}

function timesOf({ http, database }: Heard): Record<string, number> {
  const times: Record<string, number> = {}
  for (const fault of HTTP_FAULTS) times[fault] = http.get(fault) ?? 0
  for (const [fault, codes] of Object.entries(DATABASE_CODES))
    times[fault] = codes.reduce((sum, code) => sum + (database.get(code) ?? 0), 0)
  return times
}

function belowFloor(heard: Heard, floor: number): string[] {
  return Object.entries(timesOf(heard))
    .filter(([, times]) => times < floor)
    .map(([fault, times]) => `${fault}: ${times} times`)
}

/** By which codes the engine tells of each fault. */
const DATABASE_CODES: Readonly<Record<string, readonly string[]>> = {
  'backend terminated': ['connection_lost', 'commit_unknown'],
  deadlock: ['deadlock'],
  'lock timeout': ['lock_timeout'],
  'read-only': ['database_read_only'],
  'too many connections': ['too_many_connections'],
}
