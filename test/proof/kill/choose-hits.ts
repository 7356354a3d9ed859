import { randomFrom } from '../../../sandbox/base/random.ts'
import type { Scenario } from './scenarios.ts'

export interface Traced {
  scenario: Scenario
  trace: readonly string[]
}

export interface Target {
  scenario: Scenario
  hit: string
}

export interface Choice {
  /** Hits at least. */
  wanted: number
  seed: number
  /** Names that need not be chosen for their own sake any more; those that are come to it. */
  enough?: Set<string> | undefined
}

export interface Chosen {
  targets: readonly Target[]
  /** Hits that were not chosen, in no order: each may stand in for one that a child does not come to. */
  spare: readonly Target[]
}

/**
 * Names first: one hit of each in every scenario that wants them, and one hit of any in each other. Then
 * evenly over all that is left.
 */
export function chooseHits(traced: readonly Traced[], { wanted, seed, enough }: Choice): Chosen {
  const random = randomFrom(seed)
  const chosen = new Map<string, Target>()
  const choose = (scenario: Scenario, hit: string): void =>
    void chosen.set(`${scenario.name} ${hit}`, { scenario, hit })
  for (const { scenario, trace } of traced) {
    if (scenario.names !== 'all') choose(scenario, trace[Math.floor(random() * trace.length)] ?? '')
    for (const [name, hits] of Map.groupBy(trace, nameOf)) {
      if (enough?.has(name) || (scenario.names !== 'all' && !scenario.names.includes(name)))
        continue
      choose(scenario, hits[Math.floor(random() * hits.length)] as string)
      enough?.add(name)
    }
  }
  // Hits that depend on the clock come in other numbers each time, so only their first ones are sure.
  const rest = traced.flatMap(({ scenario, trace }) =>
    trace
      .filter((_, index) => scenario.jobs.length < MANY_JOBS || index % RARER === 0)
      .filter((hit) => !hit.startsWith('lease:renew') && !chosen.has(`${scenario.name} ${hit}`))
      .map((hit) => ({ scenario, hit })),
  )
  const missing = Math.min(rest.length, Math.max(0, wanted - chosen.size))
  for (let n = 0; n < missing; n++) {
    const { scenario, hit } = rest[Math.floor(((n + random()) / missing) * rest.length)] as Target
    choose(scenario, hit)
  }
  const isSpare = ({ scenario, hit }: Target): boolean => !chosen.has(`${scenario.name} ${hit}`)
  return { targets: [...chosen.values()], spare: shuffled(rest.filter(isSpare), random) }
}

function shuffled(targets: readonly Target[], random: () => number): Target[] {
  return targets
    .map((target) => ({ target, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ target }) => target)
}

export const nameOf = (hit: string): string => hit.slice(0, hit.indexOf('#'))

/** Runs of all jobs at once have many hits alike and take longest, so fewer of theirs are drawn. */
const RARER = 6
const MANY_JOBS = 4
