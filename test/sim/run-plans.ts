import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Plan } from './plan.ts'
import type { Order, Report } from './worker.ts'

export interface PlanRun {
  serverUrl: string
  /** Names the databases of this run on the server. */
  name: string
  plans: readonly (number | Plan)[]
  workers: number
  trace?: boolean
  shrink?: boolean
  untilFailure?: boolean
  /** Ends early, after so many minutes. */
  minutes?: number | undefined
  /** The time zone of the workers. */
  zone?: string
  /** A planted bug that the workers have in their source. */
  plant?: string
  /** Of the plan at that place. */
  heard(report: Report, at: number): void
}

/** Goes through plans in processes side by side; fails when one of them ends before its last plan. */
export async function runPlans(run: PlanRun): Promise<void> {
  const shares: (number | Plan)[][] = Array.from({ length: run.workers }, () => [])
  for (const [at, plan] of run.plans.entries()) shares[at % run.workers]?.push(plan)
  await Promise.all(
    shares.filter((share) => share.length > 0).map((share, at) => runWorker(run, share, at)),
  )
}

async function runWorker(run: PlanRun, plans: (number | Plan)[], place: number): Promise<void> {
  const { serverUrl, trace = false, shrink = false, untilFailure = false, minutes } = run
  const mostMs = minutes === undefined ? Number.MAX_SAFE_INTEGER : minutes * 60_000
  const database = `${run.name}_${place}`
  const order: Order = { serverUrl, database, plans, trace, shrink, untilFailure, mostMs }
  const preload = run.plant === undefined ? [] : ['--import', PLANT_URL]
  const child = spawn(process.execPath, [...preload, WORKER], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TZ: run.zone ?? 'UTC', PLANTED: run.plant ?? '' },
  })
  child.stdin.end(JSON.stringify(order))
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  let failed = false
  let heard = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const report = JSON.parse(line) as Report
    failed ||= report.violations.length > 0
    run.heard(report, place + heard * run.workers)
    heard++
  }
  const code = await closed
  const whole = heard === plans.length || (untilFailure && failed) || minutes !== undefined
  if (code !== 0 || !whole) {
    const bug = run.plant === undefined ? '' : ` with ${run.plant}`
    const ended = `a worker${bug} ended with ${String(code)}`
    throw new Error(`${ended} after ${heard} of ${plans.length} plans`)
  }
}

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))
const PLANT_URL = new URL('plant.ts', import.meta.url).href
