import { drawLarge, drawPlan, drawStorm, type Plan } from './plan.ts'
import { PLANTED } from './planted.ts'
import type { Known } from './planted-bug.ts'
import { runPlans } from './run-plans.ts'

export interface PlantedResult {
  name: string
  what: string
  /** The first seed that showed it, and how many were tried until then. */
  caughtBy: number | undefined
  tried: number
  violation: string
}

export interface PlantedRun {
  serverUrl: string
  workers: number
  only?: readonly string[] | undefined
  /** How many seeds each may take. */
  most: number
  /** Tries first what is known to show the bug. */
  known?: boolean
  told?: (result: PlantedResult) => void
}

/** Puts in each bug in turn and looks for it. */
export async function tryPlanted(run: PlantedRun): Promise<PlantedResult[]> {
  const names = Object.keys(PLANTED).filter((name) => run.only?.includes(name) ?? true)
  const results: PlantedResult[] = []
  const queue = [...names]
  await Promise.all(
    Array.from({ length: run.workers }, async () => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift())
        results.push(await tryOne(run, name))
    }),
  )
  return results.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
}

/** Seeds of the large lists or of all, or storms for what seeds hardly meet. */
async function tryOne(run: PlantedRun, name: string): Promise<PlantedResult> {
  const bug = PLANTED[name]
  const numbers = Array.from({ length: run.most }, (_, at) => at + 1)
  const known = run.known === true ? bug?.shownBy : undefined
  const draw = bug?.rare === true ? drawStorm : bug?.further === true ? drawPlan : drawLarge
  // A seed that showed the bug may not any more when the engine asks in another order: then others
  // go through the same.
  const plans = numbers.map((number) => ({ ...draw(number), ...whatShows(known) }))
  if (known !== undefined) plans.unshift({ ...draw(numberOf(known)), ...whatShows(known) })
  const result: PlantedResult = {
    name,
    what: bug?.what ?? '',
    caughtBy: undefined,
    tried: 0,
    violation: '',
  }
  await runPlans({
    serverUrl: run.serverUrl,
    name: `planted_${name.replaceAll('-', '_')}`,
    plans,
    workers: 1,
    untilFailure: true,
    plant: name,
    heard({ seed, violations }) {
      result.tried++
      if (violations.length === 0) return
      result.caughtBy = seed
      result.violation = (violations[0] ?? '').split(/[:[]/)[0] ?? ''
    },
  })
  run.told?.(result)
  return result
}

function numberOf(known: Known): number {
  return 'storm' in known ? known.storm : known.seed
}

function whatShows(known: Known | undefined): Partial<Plan> {
  const { job, besides } = known ?? {}
  return { ...(job === undefined ? {} : { jobs: [job] }), ...besides }
}

export function printPlanted(results: readonly PlantedResult[]): string {
  const rows = results.map(({ what, caughtBy, tried, violation }) => {
    const kind = caughtBy !== undefined && caughtBy > FIRST_STORM ? ' (storms)' : ''
    const caught = caughtBy === undefined ? `not in ${tried}` : `${tried}${kind}`
    return `| ${what} | ${caught} | ${violation} |`
  })
  return ['| planted bug | seeds it took | what was seen first |', '|---|---|---|', ...rows].join(
    '\n',
  )
}

const FIRST_STORM = 900_000_000
