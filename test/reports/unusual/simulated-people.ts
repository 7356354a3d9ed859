import { addDays } from '../../../reports/shared/calendar.ts'
import {
  FEWEST,
  type KindFacts,
  type UnusualKind,
} from '../../../reports/whiteboard-audit/unusual/tests.ts'
import { randomOf } from '../simulated-random.ts'

/** How an account’s people work: alike before the period and in it, but for what is planted. */
export interface World {
  people: number
  /** The share of days on which somebody is at boards. */
  busy: number
  /** What a person’s day has on average. */
  means: Readonly<Record<Exclude<UnusualKind, 'outsiders'>, number>>
  /** New people from outside a day. */
  outsiders: number
  /** By how much people differ for good, and days for everybody, as a part of the mean. */
  personSpread: number
  daySpread: number
  /** By how much each day of each person goes up and down besides. */
  ownSpread: number
  /** So many at once on average, most of them fewer and some many more. */
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

/** The seed is the account’s number, so that none is chosen by its result. */
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

/** On the second person’s day of the middle of the period, or on its fifteenth. */
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

/** What the report asks the database for, by plain loops. */
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

/** A factor with the mean 1. */
function around(random: Random, spread: number): number {
  return spread === 0 ? 1 : random.gamma(1 / spread ** 2) * spread ** 2
}

/** Bursts come by chance; how many things one has is exponential, and one at least. */
function bursts(random: Random, { mean, size }: { mean: number; size: number }): number {
  const count = random.poisson(mean / size)
  let all = 0
  for (let at = 0; at < count; at++)
    all += size === 1 ? 1 : Math.max(1, Math.round(random.gamma(1) * size))
  return all
}
