import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Window } from '../../core/time/spans.ts'
import type { Warehouse } from '../connect.ts'
import { presentRows } from '../schema/table-sql.ts'

/** A UTC day by its first instant, and the start of its first and last row, to the second. */
export interface HeldDay {
  dayMs: number
  firstMs: number
  lastMs: number
}

/** The days on which stored rows begin, oldest first. */
export async function heldDays(
  { db }: Pick<Warehouse, 'db'>,
  { column, ...of }: { account: string; stream: Stream; column: string },
  { fromMs, toMs }: Window,
): Promise<HeldDay[]> {
  const at = sql.id<string>('t', column)
  const rows = await db
    .selectFrom(presentRows(of).as('t'))
    .select(({ fn, val }) => [
      fn<string>('date_trunc', [val('day'), at, val('UTC')]).as('day'),
      fn<string>('date_trunc', [val('second'), fn.min(at)]).as('first'),
      fn<string>('date_trunc', [val('second'), fn.max(at)]).as('last'),
    ])
    .where(at, '>=', new Date(fromMs).toISOString())
    .where(at, '<', new Date(toMs).toISOString())
    .groupBy('day')
    .orderBy('day')
    .execute()
  return rows.map(({ day, first, last }) => ({
    dayMs: Date.parse(day),
    firstMs: Date.parse(first),
    lastMs: Date.parse(last),
  }))
}
