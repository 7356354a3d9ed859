import { sql } from 'kysely'
import type { Relation } from '../../../src/core/define/stream-row.ts'
import type { Base } from './base.ts'
import type { Keep, PersonDays } from './person-days.ts'

/** Somebody from outside on the day on which they came, not having been there in the days before. */
export interface Newcomer {
  person: string
  day: string
}

/** Of the days on which it is known who came before. */
export function keepNewcomers(
  { keep }: Keep,
  { rows }: PersonDays,
  { known, acquaintance }: Base,
): Promise<Relation<Newcomer>> {
  return keep(
    'newcomers from outside',
    sql<Newcomer>`
      select person, day from (
        select person, day, lag(day) over (partition by person order by day) as last
        from ${rows} p where outside) p
      where day >= ${known} and (last is null or day::date - last::date > ${acquaintance}::int)`,
  )
}
