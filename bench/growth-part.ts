import type { Figure, Table } from './figures.ts'
import { type GrowthStage, type Layout, openGrowthStage } from './growth-stage.ts'
import { costOf, type GrowthCost, STEPS, vacuumOfAll } from './growth-steps.ts'
import type { Part, PartOptions } from './part.ts'

const SESSIONS = 20_000
const SMALL_ACCOUNTS = 50
const MOST_TIMES = 1.3
/** Of CPU counted in hundredths of a second, less is no difference. */
const LEAST_MS = 50
const VACUUM_OF_ALL = 'vacuum after a night of all'
/** These work through all rows, so an account's share of them is what must not grow. */
const SHARED = new Set([VACUUM_OF_ALL, 'vacuum of an erasure'])

/** The costs of a layout at one size, by step. */
interface Measured extends Pick<GrowthStage, 'layout' | 'accounts'> {
  costs: Map<string, GrowthCost>
}

export const growthPart: Part = {
  about: 'a night, report, erasure and vacuum of one account among 50 and 200, also in partitions',
  async measure(options) {
    const { rows, quick } = options
    const sessions = quick ? SESSIONS / 10 : SESSIONS
    const most = Math.round((rows ?? (quick ? 200_000 : 4_000_000)) / sessions)
    const sizes = [1, SMALL_ACCOUNTS, most]
    // Partitions are no layout of ours: they are compared at the part's own sizes only.
    const layouts: Layout[] = rows === undefined ? ['one table', 'partitions'] : ['one table']
    const figures: Figure[] = []
    const tables: Table[] = []
    for (const layout of layouts) {
      const measured = await measureLayout({ layout, sizes, sessions }, options)
      tables.push(tableOf(measured, sessions))
      if (layout === 'one table') figures.push(...figuresOf(measured))
    }
    return { figures, tables }
  },
}

async function measureLayout(
  { layout, sizes, sessions }: { layout: Layout; sizes: readonly number[]; sessions: number },
  options: PartOptions,
): Promise<Measured[]> {
  const stages: GrowthStage[] = []
  try {
    for (const accounts of sizes)
      stages.push(await openGrowthStage({ layout, accounts, sessions }, options))
    // In turns, so that what else the machine does weighs on all alike.
    const rounds = stages.map(() => new Map<string, GrowthCost[]>())
    for (let round = 0; round < (options.quick ? 2 : ROUNDS); round++)
      for (const [name, step] of Object.entries(STEPS))
        for (const [at, stage] of stages.entries()) add(rounds[at], name, await costOf(stage, step))
    const measured: Measured[] = []
    for (const [at, stage] of stages.entries()) {
      const costs = new Map([...(rounds[at] ?? [])].map(([name, all]) => [name, middle(all)]))
      costs.set(VACUUM_OF_ALL, await vacuumOfAll(stage))
      measured.push({ layout, accounts: stage.accounts, costs })
    }
    return measured
  } finally {
    for (const stage of stages) await stage.close()
  }
}

function add(costs: Map<string, GrowthCost[]> | undefined, name: string, cost: GrowthCost): void {
  costs?.set(name, [...(costs.get(name) ?? []), cost])
}

function middle(all: readonly GrowthCost[]): GrowthCost {
  const of = (name: keyof GrowthCost): number =>
    all.map((cost) => cost[name]).toSorted((a, b) => a - b)[(all.length - 1) >> 1] ?? Number.NaN
  return { cpuMs: of('cpuMs'), pages: of('pages') }
}

/** From the second size to the last: both hold so many accounts that what they share weighs nothing. */
function figuresOf(measured: readonly Measured[]): Figure[] {
  const [, small, large] = measured
  if (small === undefined || large === undefined) return []
  return [...large.costs].map(([what, { cpuMs }]) => {
    const shared = SHARED.has(what)
    const from = (small.costs.get(what)?.cpuMs ?? Number.NaN) / (shared ? small.accounts : 1)
    const to = cpuMs / (shared ? large.accounts : 1)
    return {
      what: `${what}${shared ? ', an account' : ''}: CPU, ${small.accounts} to ${large.accounts} accounts`,
      measured: `${(to / from).toFixed(2)} x`,
      beside: `${from.toFixed(1)} to ${to.toFixed(1)} ms`,
      target: `<= ${MOST_TIMES}, or ${LEAST_MS} ms more`,
      met: to / from <= MOST_TIMES || to - from <= LEAST_MS,
    }
  })
}

function tableOf(measured: readonly Measured[], sessions: number): Table {
  const [first] = measured
  const names = [...(first?.costs.keys() ?? [])]
  const lines = names.map((name) => [
    name,
    ...measured.flatMap(({ costs }) => {
      const cost = costs.get(name)
      return cost === undefined
        ? ['', '']
        : [cost.cpuMs.toFixed(0), cost.pages.toLocaleString('en')]
    }),
  ])
  const header = measured.flatMap(({ accounts }) => [
    `${accounts.toLocaleString('en')}: CPU ms`,
    'pages',
  ])
  const each = `one account of ${sessions.toLocaleString('en')} sessions among others`
  const title = `growth, ${first?.layout}: ${each}`
  return { title, lines: [['step', ...header], ...lines] }
}

const ROUNDS = 3
