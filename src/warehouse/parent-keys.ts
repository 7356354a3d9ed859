import { sql } from 'kysely'
import type { Stream } from '../core/stream.ts'
import type { Warehouse } from './connect.ts'
import { current } from './table-sql.ts'

type FanOut = Extract<Stream['sync'], { kind: 'fan-out' }>

/**
 * The keys of the parents that may still be asked for, in the order that the fan-out declares, earliest
 * first.
 */
export async function parentKeys(
  warehouse: Warehouse,
  { account, sync }: { account: string; sync: FanOut },
): Promise<string[][]> {
  const { parent, order } = sync
  const expiresAt = parent.gone.by === 'detail' ? parent.gone.expiresAt : undefined
  const alive =
    expiresAt === undefined
      ? sql`true`
      : sql`coalesce(${sql.id(expiresAt)} > callsheet.clock(), true)`
  const { rows } = await sql<{ key: string[] }>`
    select array[${sql.join(parent.key.map((name) => sql`${sql.id(name)}::text`))}] as key
    from ${current(parent)}
    where account = ${account} and _deleted_at is null and ${alive}
    order by ${sql.id(order)} nulls last, 1`.execute(warehouse.db)
  return rows.map((row) => row.key)
}
