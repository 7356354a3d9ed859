import { sql } from 'kysely'
import type { LabelState, QuotaLedger } from '../../core/define/ports.ts'
import type { Warehouse } from '../connect.ts'

/** Stores the account's spent quota, retry times and learned rates, for any number of processes. */
export function createQuotaLedger(warehouse: Warehouse, account: string): QuotaLedger {
  const { db } = warehouse
  const spending = { warehouse, account }
  return {
    async reserve(...[pool, day, calls, limit]) {
      if (calls <= 0) return 0
      const asked = { ...spending, pool, day, calls, limit }
      const granted = await take(asked)
      if (granted !== undefined) return granted
      await db
        .insertInto('callsheet.quota')
        .values({ account, pool, day, spent: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      return (await take(asked)) ?? 0
    },
    async giveBack(pool, day, calls) {
      if (calls <= 0) return
      await db
        .updateTable('callsheet.quota')
        .set({ spent: sql`greatest(0, spent - ${calls}::bigint)` })
        .where('account', '=', account)
        .where('pool', '=', pool)
        .where('day', '=', day)
        .execute()
    },
    async spent(pool, day) {
      const row = await db
        .selectFrom('callsheet.quota')
        .select('spent')
        .where('account', '=', account)
        .where('pool', '=', pool)
        .where('day', '=', day)
        .executeTakeFirst()
      return row?.spent ?? 0
    },
    readLabel: (label) => readLabel(spending, label),
    holdLabel: (label, retryAtMs, reason) => holdLabel(spending, { label, retryAtMs, reason }),
    async saveLearnedRate(label, callsPerSecond) {
      await db
        .insertInto('callsheet.labels')
        .values({ account, label, learned_calls_per_second: callsPerSecond })
        .onConflict((conflict) =>
          conflict.columns(['account', 'label']).doUpdateSet(({ ref }) => ({
            learned_calls_per_second: ref('excluded.learned_calls_per_second'),
          })),
        )
        .execute()
    },
  }
}

interface Asked {
  warehouse: Warehouse
  account: string
  pool: string
  day: string
  calls: number
  limit: number | undefined
}

/**
 * Takes calls from a day's quota. The row is locked before the remainder is computed, so two processes cannot
 * both take the last call.
 */
async function take({ warehouse, account, pool, day, calls, limit }: Asked) {
  const row = await warehouse.db
    .with('held', (db) =>
      db
        .selectFrom('callsheet.quota')
        .select('spent')
        .where('account', '=', account)
        .where('pool', '=', pool)
        .where('day', '=', day)
        .forUpdate(),
    )
    .with('share', (db) =>
      db.selectFrom('held').select([
        'spent',
        sql<number>`greatest(0, least(${calls}::bigint,
          coalesce(${limit ?? null}::bigint - spent, ${calls}::bigint)))`.as('granted'),
      ]),
    )
    .updateTable('callsheet.quota as q')
    .from('share')
    .set(({ eb, ref }) => ({ spent: eb('share.spent', '+', ref('share.granted')) }))
    .where('q.account', '=', account)
    .where('q.pool', '=', pool)
    .where('q.day', '=', day)
    .returning('share.granted')
    .executeTakeFirst()
  return row?.granted
}

/** Stores until when a label is paused. A time earlier than the stored one changes nothing. */
async function holdLabel(
  { warehouse, account }: { warehouse: Warehouse; account: string },
  held: { label: string; retryAtMs: number; reason: 'rate' | 'daily' },
): Promise<void> {
  const { label, retryAtMs, reason } = held
  await warehouse.db
    .insertInto('callsheet.labels')
    .values({ account, label, retry_at: new Date(retryAtMs).toISOString(), reason })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'label'])
        .doUpdateSet(({ ref }) => ({
          retry_at: ref('excluded.retry_at'),
          reason: ref('excluded.reason'),
        }))
        .where(({ or, eb, ref }) =>
          or([
            eb('callsheet.labels.retry_at', 'is', null),
            eb('callsheet.labels.retry_at', '<', ref('excluded.retry_at')),
          ]),
        ),
    )
    .execute()
}

async function readLabel(
  { warehouse, account }: { warehouse: Warehouse; account: string },
  label: string,
): Promise<LabelState> {
  const row = await warehouse.db
    .selectFrom('callsheet.labels')
    .select(['retry_at as retryAt', 'reason', 'learned_calls_per_second as rate'])
    .where('account', '=', account)
    .where('label', '=', label)
    .executeTakeFirst()
  const { retryAt = null, reason = null, rate = null } = row ?? {}
  return {
    retryAtMs: retryAt === null ? 0 : Date.parse(retryAt),
    reason: reason === 'rate' || reason === 'daily' ? reason : undefined,
    learnedCallsPerSecond: rate ?? undefined,
  }
}
