import { jobs as allJobs } from '../../src/account/catalog.ts'
import { drawLack, type Lack } from './lacks.ts'
import { Random } from './random.ts'

/** What a plan has beyond the large lists: few rows of more kinds, edited as all others. */
export interface Mix {
  lacks: Lack[]
  /** After the healing comes an ordinary night: a few edits that lists show, and a run that is not full. */
  night: boolean
}

/**
 * Three seeds in four read details, settings or boards too, three jobs at most, and leave out one or two of
 * the large lists for it. Drawn beside the plan, of which nothing else moves by it.
 */
export function drawMix(
  seed: number,
  { jobs, attempts }: { jobs: readonly string[]; attempts: number },
): { jobs: string[]; mix?: Mix } {
  const draw = new Random(seed, 'mix')
  if (draw.chance(0.25)) return { jobs: [...jobs] }
  let added = withParents([draw.pick(FURTHER)])
  const more = withParents([...added, draw.pick(FURTHER)])
  if (draw.chance(0.6) && countNew(more) <= MOST_NEW) added = more
  const spare = LARGE.filter((name) => !added.has(name))
  for (let left = countNew(added) > 1 ? 2 : 1; left > 0; left--)
    spare.splice(draw.between(0, spare.length - 1), 1)
  const taken = new Set([...added, ...spare])
  const names = allJobs.map(({ name }) => name).filter((name) => taken.has(name))
  const lacks = draw.chance(0.3) ? drawLack(draw, names, attempts) : []
  return { jobs: names, mix: { lacks, night: draw.chance(0.5) } }
}

/** The jobs without this one and those that read the details of what it lists. */
export function jobsWithout(names: readonly string[], name: string): string[] {
  return names.filter((other) => !withParents([other]).has(name))
}

/** These jobs and those that list what they read the details of. */
function withParents(names: readonly string[]): Set<string> {
  const all = new Set(names)
  for (const name of all) for (const parent of parentsOf(name)) all.add(parent)
  return all
}

function parentsOf(name: string): string[] {
  const streams = allJobs.find((job) => job.name === name)?.streams ?? []
  const parents = streams.flatMap(({ sync }) => (sync.kind === 'fan-out' ? [sync.parent] : []))
  return allJobs
    .filter((job) => job.streams.some((one) => parents.includes(one)))
    .map((job) => job.name)
}

function countNew(names: ReadonlySet<string>): number {
  return [...names].filter((name) => !LARGE.includes(name)).length
}

const LARGE: readonly string[] = ['users', 'whiteboard-archives', 'session-reports', 'recordings']
const FURTHER = allJobs
  .map(({ name }) => name)
  .filter((name) => !LARGE.includes(name) && name !== 'phone-numbers')
const MOST_NEW = 3
