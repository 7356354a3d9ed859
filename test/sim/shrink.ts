import type { Lab } from './lab.ts'
import { jobsWithout } from './mix.ts'
import type { Plan } from './plan.ts'

/** The parts of a failing plan without which it no longer fails are kept; all others are left out. */
export async function shrink(lab: Lab, failing: Plan, invariant: string): Promise<Plan> {
  let smallest = failing
  for (let again = true; again; ) {
    again = false
    for (const candidate of smaller(smallest)) {
      const { violations } = await lab.try(candidate)
      if (!violations.some((violation) => violation.startsWith(invariant))) continue
      smallest = candidate
      again = true
      break
    }
  }
  return smallest
}

function* smaller(plan: Plan): Generator<Plan> {
  if (plan.rival) yield { ...plan, rival: false }
  if (plan.attempts > 1) {
    const first = <T extends { attempt: number }>(all: T[]): T[] =>
      all.filter(({ attempt }) => attempt === 0)
    yield { ...plan, attempts: 1, mishaps: first(plan.mishaps), edits: first(plan.edits) }
  }
  for (const name of Object.keys(plan.rates)) yield { ...plan, rates: withoutKey(plan.rates, name) }
  for (const at of plan.mishaps.keys())
    yield { ...plan, mishaps: plan.mishaps.filter((_, place) => place !== at) }
  if (plan.edits.length > 1) {
    const middle = Math.ceil(plan.edits.length / 2)
    yield { ...plan, edits: plan.edits.slice(0, middle) }
    yield { ...plan, edits: plan.edits.slice(middle) }
  } else if (plan.edits.length === 1) yield { ...plan, edits: [] }
  for (const name of plan.jobs) {
    const jobs = jobsWithout(plan.jobs, name)
    if (jobs.length > 0) yield { ...plan, jobs }
  }
  if (plan.quotas !== 'wide') yield { ...plan, quotas: 'wide' }
  if (plan.skewMs !== 0) yield { ...plan, skewMs: 0 }
  for (const name of Object.keys(plan.readings ?? {}))
    yield { ...plan, readings: withoutKey(plan.readings ?? {}, name) }
  const { mix } = plan
  if (mix === undefined) return
  if (mix.lacks.length > 0) yield { ...plan, mix: { ...mix, lacks: [] } }
  if (mix.night) yield { ...plan, mix: { ...mix, night: false } }
}

function withoutKey<T extends object>(from: T, dropped: string): Partial<T> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name !== dropped)) as Partial<T>
}
