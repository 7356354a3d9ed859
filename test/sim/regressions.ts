import { appendFileSync, readFileSync } from 'node:fs'
import { drawLarge, type Plan } from './plan.ts'

/** Plans that failed once, shrunk: run first for ever. A line each: a plan as JSON, then what it broke. */
export function regressions(): Plan[] {
  return readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => {
      const given = JSON.parse(line.split('  # ')[0] ?? '{}') as Partial<Plan> & { seed: number }
      return { ...drawLarge(given.seed), ...given }
    })
}

export function rememberRegression(plan: Plan, violation: string): void {
  const words = violation.replaceAll(/\s+/g, ' ').slice(0, 120)
  appendFileSync(FILE, `${JSON.stringify(plan)}  # ${words}\n`)
}

const FILE = new URL('regressions.txt', import.meta.url)
