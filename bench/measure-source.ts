import type { PartOptions } from './part.ts'
import type { Spent } from './spent.ts'
import { type Cost, openStage, type Reading, type Stage } from './stage.ts'

interface Load {
  first: Reading
  copy: Cost
  scriptFirst: Cost
}

/** One source at one size: everything beside what it is compared with. */
export interface Measured extends Load {
  source: string
  rows: number
  settings: string
  /** All turns; the load itself is the middle one of them. */
  loads: readonly Load[]
  scriptAgain: Cost
  rounds: Round[]
}

/** Taken one after the other, so that what else the machine does weighs on all alike. */
export interface Round {
  drain: Spent
  unchanged: Reading
  changed: Reading
  /** Where a deletion takes a second reading to be believed, this is it. */
  again: Reading
}

export async function measureSource(
  source: string,
  rows: number,
  options: PartOptions,
): Promise<Measured> {
  const turns = rows <= MANY_ROWS ? 3 : 1
  const staged = { source, rows, options }
  const loads: Load[] = []
  for (let turn = 1; turn < turns; turn++) loads.push(await onStage(staged, measureLoad))
  return await onStage(staged, async (stage) => {
    loads.push(await measureLoad(stage))
    const ratio = ({ first, scriptFirst }: Load): number => first.wallMs / scriptFirst.wallMs
    const rounds = await measureRounds(stage)
    const scriptAgain = await stage.script()
    const { settings } = stage.database
    return { source, rows, settings, ...median(loads, ratio), loads, scriptAgain, rounds }
  })
}

interface Staged {
  source: string
  rows: number
  options: PartOptions
}

async function onStage<T>(
  { source, rows, options }: Staged,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const stage = await openStage(source, rows, options)
  try {
    return await work(stage)
  } finally {
    await stage.close()
  }
}

/** The first load of an empty database, and what is beside it. */
async function measureLoad(stage: Stage): Promise<Load> {
  const first = await stage.ours('first')
  // The first drain warms the server up: its code is compiled, its memory resident.
  await stage.drain(first.paths)
  const copy = await intoEmpty(stage, 'copied', stage.copy)
  await stage.database.dropTable('copied')
  const scriptFirst = await intoEmpty(stage, 'scripted', stage.script)
  return { first, copy, scriptFirst }
}

async function measureRounds(stage: Stage): Promise<Round[]> {
  await stage.database.settle()
  // After a checkpoint the first change of each page is logged as the whole page, once: not a slice's cost.
  let { paths } = await stage.ours('settled')
  const count = roundsOf(stage.rows)
  const rounds: Round[] = []
  for (let round = 1; round <= count; round++) {
    const drain = await stage.drain(paths)
    const unchanged = await stage.ours(`unchanged-${round}`)
    await stage.change()
    const changed = await stage.ours(`changed-${round}`)
    const again = await stage.ours(`again-${round}`)
    if (changed.gone + again.gone === 0) throw new Error('No row was deleted')
    rounds.push({ drain, unchanged, changed, again })
    paths = unchanged.paths
  }
  return rounds
}

function roundsOf(rows: number): number {
  if (rows <= FEW_ROWS) return 21
  return rows <= MANY_ROWS ? 7 : 3
}

async function intoEmpty(stage: Stage, table: string, work: () => Promise<Cost>): Promise<Cost> {
  await stage.database.emptyTable(table)
  await stage.database.settle()
  return await work()
}

/** The one in the middle by `of`. */
export function median<T>(all: readonly T[], of: (one: T) => number): T {
  const sorted = all.toSorted((a, b) => of(a) - of(b))
  return sorted[Math.floor((sorted.length - 1) / 2)] as T
}

/** Read in less than a second, in which the machine may do else: the middle of more rounds counts. */
const FEW_ROWS = 200_000
/** Loaded in half a minute, for which the same holds; beyond, a swing of seconds weighs little. */
const MANY_ROWS = 1_500_000
