import { type RawBuilder, sql } from 'kysely'
import type { Relation } from '../../../src/core/define/stream-row.ts'
import type { Counted } from '../../shared/counts.ts'
import { constant } from '../../shared/expressions.ts'
import { queryRows } from '../../shared/query.ts'
import type { AuditSource } from '../source.ts'
import { type Base, isOfBase } from './base.ts'
import type { Newcomer, PersonDays } from './person-days.ts'
import { type Candidate, FEWEST, type KindFacts, type UnusualKind } from './tests.ts'

/** Reads the counts of people's days, of all three kinds at once, for the base and for the period. */
export async function readPersonKinds(
  { db }: AuditSource,
  days: PersonDays,
  base: Base,
): Promise<KindFacts[]> {
  const isBase = isOfBase(base, sql.ref('day'))
  const counted = await queryRows<{ kind: string } & Record<keyof Counted, number>>(
    db,
    sql`select kind, count(*)::int as units, sum(count)::float8 as sum,
        sum(count::float8 ^ 2) as squares
      from ${days.rows} p cross join lateral ${COUNTS} m (kind, count)
      where ${isBase} group by kind, day order by kind, day`,
  )
  const [all] = await queryRows<{ tests: number }>(
    db,
    sql`select count(*)::int as tests from ${days.rows} p where day >= ${base.first}`,
  )
  const candidates = await queryRows<Found>(db, candidatesOf(days, base))
  return PERSON_KINDS.map((kind) => ({
    kind,
    base: counted.filter((one) => one.kind === kind),
    tests: all?.tests ?? 0,
    candidates: candidates.filter((one) => one.kind === kind).map(candidateOf),
  }))
}

interface Found extends Record<string, string | number> {
  kind: string
  person: string
  day: string
  count: number
  days: number
  sum: number
}

function candidateOf({ person, day, count, days, sum }: Found): Candidate {
  return { person, day, count, own: { days, sum } }
}

/** Reads only counts that reach `FEWEST` and exceed the person's base days. All others are no findings. */
function candidatesOf({ rows }: PersonDays, base: Base): RawBuilder<unknown> {
  const fewest = PERSON_KINDS.map((kind) => sql`(${kind}::text, ${FEWEST[kind]}::int)`)
  return sql`
    with high as materialized (
      select kind, person, day, count from ${rows} p cross join lateral ${COUNTS} m (kind, count)
        join (values ${sql.join(fewest)}) f (kind, fewest) using (kind)
      where day >= ${base.first} and count >= fewest),
    own as materialized (
      select kind, person, count(*)::int as days, sum(count)::float8 as sum, max(count) as most
      from ${rows} p cross join lateral ${COUNTS} m (kind, count)
      where ${isOfBase(base, sql.ref('day'))} and person in (select person from high)
      group by kind, person)
    select kind, person, day, count, coalesce(days, 0) as days, coalesce(sum, 0) as sum
    from high left join own using (kind, person)
    where count > coalesce(most, 0)
    order by count desc, kind, person, day limit ${MOST_CANDIDATES}`
}

/** Counts the newcomers from outside on each day of the account. */
export async function readOutsiderKind(
  { db, days }: AuditSource,
  newcomers: Relation<Newcomer>,
  base: Base,
): Promise<KindFacts> {
  const rows = await queryRows<{ day: string; count: number }>(
    db,
    sql`select day, count(*)::int as count from ${newcomers} n group by day`,
  )
  const counts = new Map(rows.map(({ day, count }) => [day, count]))
  const unread = new Set(base.unread)
  const before = base.days
    .filter((day) => day >= base.known && !unread.has(day))
    .map((day) => counts.get(day) ?? 0)
  const sum = before.reduce((all, count) => all + count, 0)
  const most = Math.max(0, ...before)
  return {
    kind: 'outsiders',
    base: before.map((count) => ({ units: 1, sum: count, squares: count ** 2 })),
    tests: days.length,
    candidates: days
      .map((day) => ({ day, count: counts.get(day) ?? 0 }))
      .filter(({ count }) => count >= FEWEST.outsiders && count > most)
      .map((one) => ({ ...one, person: undefined, own: { days: before.length, sum } })),
  }
}

const PERSON_KINDS = ['deletions', 'nights', 'boards'] as const satisfies UnusualKind[]
const COUNTS = sql`(values (${constant('deletions')}::text, deletions), (${constant('nights')}, nights),
  (${constant('boards')}, boards))`
const MOST_CANDIDATES = 5_000
