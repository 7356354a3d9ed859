import { sql } from 'kysely'
import { randomFrom } from '../../../sandbox/base/random.ts'
import { connect } from '../../../src/warehouse/connect.ts'
import { openStage, type Server, type Stage } from '../stage.ts'
import { traceOf } from './child-process.ts'
import { type Chosen, chooseHits, nameOf, type Target, type Traced } from './choose-hits.ts'
import { type NameSums, nameSums } from './name-sums.ts'
import {
  type Base,
  type Case,
  type CaseEnd,
  examine,
  orderOf,
  runCase,
  type Undisturbed,
} from './one-case.ts'
import { PHASES, type Phase, type Scenario, SIZES } from './scenarios.ts'

export interface KillPlan {
  seed: number
  /** Kill points at least. */
  points: number
  /** Each name is chosen for its own sake once, rather than in every scenario that wants all of them. */
  namesOnce?: boolean
  /** One of so many recoveries is killed too. */
  doubleEvery: number
  /** Stages, each with a service of its own. */
  atOnce: number
}

export interface KillSummary extends KillCounts, NameSums {
  /** Scenarios in which no child died. */
  scenariosMissed: string[]
}

interface KillCounts {
  /** Hits that the traces list, of all scenarios. */
  listed: number
  killed: number
  /** Of these, in a run of details, settings or boards and what lists them. */
  killedFurther: number
  killedTwice: number
  recovered: number
  /** Hits that a child did not come to: it did the same in another order. */
  missed: number
  violations: string[]
}

/**
 * Kills a child at each of the chosen hits and compares what the next run makes of it. Several stages share
 * the hits: one app has one live token, so two cases must not meet at one service.
 */
export async function killLane(server: Server, plan: KillPlan): Promise<KillSummary> {
  const summary: KillCounts = { ...NOTHING, violations: [] }
  const chosen = new Set<string>()
  const died = { names: new Set<string>(), scenarios: new Set<string>() }
  const stages = await Promise.all(
    Array.from({ length: plan.atOnce }, () => openStage(server, { seed: plan.seed, sizes: SIZES })),
  )
  try {
    let base: Base = { database: server.template, lastRunId: 0 }
    for (const phase of PHASES) {
      for (const stage of stages) phase.prepare(stage)
      base = await killInPhase(stages, { phase, base, plan, summary, died, chosen })
    }
  } finally {
    await Promise.all(stages.map((stage) => stage.close()))
  }
  const scenarios = PHASES.flatMap((phase) => phase.scenarios.map(({ name }) => name))
  const scenariosMissed = scenarios.filter((name) => !died.scenarios.has(name))
  return { ...summary, ...nameSums(died.names), scenariosMissed }
}

interface PhaseWork {
  phase: Phase
  base: Base
  plan: KillPlan
  summary: KillCounts
  died: { names: Set<string>; scenarios: Set<string> }
  chosen: Set<string>
}

/** Answers the base of the next phase: what the first scenario leaves when nobody disturbs it. */
async function killInPhase(stages: readonly Stage[], work: PhaseWork): Promise<Base> {
  const { phase, base, plan, summary } = work
  // A lane has a stage.
  const { traced, ends, next } = await traceScenarios(stages[0]!, phase, base)
  for (const end of ends.values()) summary.violations.push(...end.violations)
  summary.listed += traced.reduce((sum, { trace }) => sum + trace.length, 0)
  const share = Math.ceil((plan.points * SHARES[phase.name]!) / 100)
  const random = randomFrom(plan.seed + share)
  const enough = plan.namesOnce === true ? work.chosen : undefined
  const choice = { wanted: share, seed: plan.seed, enough }
  const before = summary.killed
  const targets = untilKilled(chooseHits(traced, choice), () => summary.killed - before < share)
  const killNext = async (stage: Stage): Promise<void> => {
    // One iterator for all stages: whoever is free takes the next hit.
    for (let one = targets.next(); one.done !== true; one = targets.next()) {
      const { scenario, hit } = one.value
      const double = random() < 1 / plan.doubleEvery
      const again = double ? { again: `*#${1 + Math.floor(random() * 25)}` } : {}
      // Every scenario of the phase was traced above.
      const undisturbed = ends.get(scenario)!
      const end = await runInsistently(stage, { scenario, base, hit, ...again, undisturbed })
      count(work, { scenario, hit }, end)
    }
  }
  const done = await Promise.allSettled(stages.map(killNext))
  for (const end of done) if (end.status === 'rejected') throw end.reason
  return next
}

/** All that was chosen, and then others for as long as too few were killed. */
function* untilKilled({ targets, spare }: Chosen, lacking: () => boolean): Generator<Target> {
  yield* targets
  for (const target of spare) {
    if (!lacking()) return
    yield target
  }
}

function count(
  { summary, died }: PhaseWork,
  { scenario, hit }: Target,
  { killed, violations }: CaseEnd,
): void {
  if (killed === 0) summary.missed++
  else {
    died.names.add(nameOf(hit))
    died.scenarios.add(scenario.name)
    if (scenario.further === true) summary.killedFurther++
  }
  summary.killed += Math.min(killed, 1)
  summary.killedTwice += Math.max(killed - 1, 0)
  if (killed > 0 && violations.length === 0) summary.recovered++
  summary.violations.push(...violations)
}

/** What runs side by side comes in another order each time, so a late hit may not come: then the first. */
async function runInsistently(stage: Stage, one: Case) {
  const end = await runCase(stage, one)
  if (end.killed > 0) return end
  return await runCase(stage, { ...one, hit: `${nameOf(one.hit)}#1` })
}

/** Each scenario once, undisturbed: its hits, how it ends, and of the first one the tables that it leaves. */
async function traceScenarios(stage: Stage, { scenarios }: Phase, base: Base) {
  const ends = new Map<Scenario, Undisturbed & { violations: string[] }>()
  const traced: Traced[] = []
  let next = base
  for (const scenario of scenarios) {
    const database = await stage.clone(base.database)
    const order = orderOf(stage, scenario, database)
    await stage.faults(scenario.faults ?? [])
    const { trace, states } = await traceOf(order, stage.directory)
    await stage.faults([])
    traced.push({ scenario, trace })
    ends.set(scenario, await examine(stage, { order, states, scenario, base }))
    if (next === base) next = { database, lastRunId: await lastRunOf(order.databaseUrl) }
    else await stage.drop(database)
  }
  return { traced, ends, next }
}

async function lastRunOf(url: string): Promise<number> {
  const warehouse = connect({ url, poolSize: 1 })
  const { rows } = await sql<{ last: number }>`
    select max(id) as last from callsheet.runs`.execute(warehouse.db)
  await warehouse.close()
  return rows[0]?.last ?? 0
}

const NOTHING = {
  listed: 0,
  killed: 0,
  killedFurther: 0,
  killedTwice: 0,
  recovered: 0,
  missed: 0,
}

/** How the points are spread over the phases, in percent. */
const SHARES: Readonly<Record<string, number>> = {
  'first load': 38,
  changes: 40,
  'second readings': 14,
  reports: 8,
}
