import { readFileSync } from 'node:fs'
import { Lab } from './lab.ts'
import { drawPlan, type Plan } from './plan.ts'
import { shrink } from './shrink.ts'
import type { Outcome } from './simulate.ts'

/** What a worker is told on its standard input; it answers with a line of JSON for each plan. */
export interface Order {
  serverUrl: string
  database: string
  /** Seeds, or plans that were shrunk. */
  plans: (number | Plan)[]
  trace: boolean
  /** Finds the smallest plan that still fails. */
  shrink: boolean
  /** Stops at the first plan that fails, as soon as it does. */
  untilFailure: boolean
  /** Begins no other plan after so long. */
  mostMs: number
}

export type Report = Omit<Outcome, 'trace'> & { trace?: string[]; smallest?: Plan; ms: number }

const order = JSON.parse(readFileSync(0, 'utf8')) as Order
const lab = new Lab(order.serverUrl, order.database, order.untilFailure)
try {
  for (const given of order.plans) {
    if (performance.now() > order.mostMs) break
    const report = await goThrough(typeof given === 'number' ? drawPlan(given) : given)
    process.stdout.write(`${JSON.stringify(report)}\n`)
    if (order.untilFailure && report.violations.length > 0) break
  }
} finally {
  await lab.close()
}
process.exit(0)

async function goThrough(plan: Plan): Promise<Report> {
  const startedMs = performance.now()
  const { trace, ...outcome } = await lab.try(plan)
  const report: Report = { ...outcome, ms: Math.round(performance.now() - startedMs) }
  if (order.trace) report.trace = trace
  const [violation] = outcome.violations
  if (order.shrink && violation !== undefined)
    report.smallest = await shrink(lab, plan, violation.split(' ')[0] ?? '')
  return report
}
