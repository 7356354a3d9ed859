import { addDays } from '../../../reports/shared/calendar.ts'
import {
  FEWEST,
  type KindFacts,
  type UnusualKind,
} from '../../../reports/whiteboard-audit/unusual/tests.ts'
import { randomOf } from '../simulated-random.ts'

/** The activity of a simulated account’s people, the same before and in the period except for `planted`. */
export interface World {
  people: number
  /** The share of days on which a person uses boards. */
  busy: number
  /** The mean counts of a person’s day. */
  means: Readonly<Record<Exclude<UnusualKind, 'outsiders'>, number>>
  /** The mean number of new people from outside per day. */
  outsiders: number
  /** The relative standard deviations of people, and of days for everybody. */
  personSpread: number
  daySpread: number
  /** The additional relative standard deviation of each day of each person. */
  ownSpread: number
  /** The mean size of a burst, exponentially distributed; 1 for single events. */
  burst: number
  baseDays?: number
  planted?: { kind: UnusualKind; count: number }
}

export interface Account {
  facts: KindFacts[]
  planted: { kind: UnusualKind; person: string | undefined; day: string } | undefined
}

const FIRST = '2026-10-01'
const PERIOD_DAYS = 31
export const KINDS = ['deletions', 'nights', 'boards'] as const

interface PersonDay {
  person: string
  day: string
  counts: Record<(typeof KINDS)[number], number>
}

/** Simulates an account. Seeds are consecutive numbers, so nobody can choose favorable accounts. */
export function simulatedPeople(seed: number, world: World): Account {
  const random = randomOf(seed)
  const baseDays = world.baseDays ?? 120
  const people = Array.from({ length: world.people }, (_, at) => ({
    person: `u${at}`,
    busy: world.busy * around(random, world.personSpread),
    means: KINDS.map((kind) => world.means[kind] * around(random, world.personSpread)),
  }))
  const days: PersonDay[] = []
  const came = new Map<string, number>()
  for (let at = -baseDays; at < PERIOD_DAYS; at++) {
    const day = addDays(FIRST, at)
    const whole = KINDS.map(() => around(random, world.daySpread))
    came.set(
      day,
      bursts(random, { mean: world.outsiders * around(random, world.daySpread), size: 2 }),
    )
    for (const { person, busy, means } of people) {
      if (random.next() >= busy) continue
      const drawn = KINDS.map((kind, n) =>
        bursts(random, {
          mean: (means[n] ?? 0) * (whole[n] ?? 1) * around(random, world.ownSpread),
          size: kind === 'boards' ? 1 : world.burst,
        }),
      )
      const counts = Object.fromEntries(KINDS.map((kind, n) => [kind, drawn[n] ?? 0]))
      days.push({ person, day, counts: counts as PersonDay['counts'] })
    }
  }
  const planted = plant(world, days, came)
  return { facts: [...KINDS.map((kind) => personFacts(kind, days)), outsiders(came)], planted }
}

/** Sets the count of the second person active from the middle of the period on, or of new people that day. */
function plant({ planted }: World, days: PersonDay[], came: Map<string, number>) {
  if (planted === undefined) return undefined
  const { kind, count } = planted
  const middle = addDays(FIRST, 14)
  if (kind === 'outsiders') {
    came.set(middle, count)
    return { kind, person: undefined, day: middle }
  }
  const one = days.filter(({ day }) => day >= middle)[1]
  if (one === undefined) return undefined
  one.counts[kind] = count
  return { kind, person: one.person, day: one.day }
}

/** Computes the facts that the report queries from the database, by simple loops. */
function personFacts(kind: (typeof KINDS)[number], all: readonly PersonDay[]): KindFacts {
  const days = all.map(({ person, day, counts }) => ({ person, day, count: counts[kind] }))
  const before = days.filter(({ day }) => day < FIRST)
  const since = days.filter(({ day }) => day >= FIRST)
  const own = Map.groupBy(before, ({ person }) => person)
  const sums = (some: readonly { count: number }[]) => ({
    units: some.length,
    sum: some.reduce((sum, { count }) => sum + count, 0),
    squares: some.reduce((sum, { count }) => sum + count ** 2, 0),
  })
  return {
    kind,
    base: [...Map.groupBy(before, ({ day }) => day).values()].map(sums),
    tests: since.length,
    candidates: since.flatMap((one) => {
      const earlier = own.get(one.person) ?? []
      if (one.count < FEWEST[kind] || earlier.some(({ count }) => count >= one.count)) return []
      return [{ ...one, own: { days: earlier.length, sum: sums(earlier).sum } }]
    }),
  }
}

function outsiders(came: ReadonlyMap<string, number>): KindFacts {
  const days = [...came].map(([day, count]) => ({ day, count }))
  const known = addDays(FIRST, -60)
  const before = days.filter(({ day }) => day >= known && day < FIRST)
  const since = days.filter(({ day }) => day >= FIRST)
  const sum = before.reduce((all, { count }) => all + count, 0)
  return {
    kind: 'outsiders',
    base: before.map(({ count }) => ({ units: 1, sum: count, squares: count ** 2 })),
    tests: since.length,
    candidates: since
      .filter(({ count }) => count >= FEWEST.outsiders && before.every((one) => one.count < count))
      .map((one) => ({ ...one, person: undefined, own: { days: before.length, sum } })),
  }
}

type Random = ReturnType<typeof randomOf>

/** Draws a factor with the mean 1. */
function around(random: Random, spread: number): number {
  return spread === 0 ? 1 : random.gamma(1 / spread ** 2) * spread ** 2
}

/** Draws a count as a Poisson number of bursts, each with an exponential size of at least one. */
function bursts(random: Random, { mean, size }: { mean: number; size: number }): number {
  const count = random.poisson(mean / size)
  let all = 0
  for (let at = 0; at < count; at++)
    all += size === 1 ? 1 : Math.max(1, Math.round(random.gamma(1) * size))
  return all
}
