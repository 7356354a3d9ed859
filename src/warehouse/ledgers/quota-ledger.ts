import { sql } from 'kysely'
import type { LabelState, QuotaLedger } from '../../core/declare/ports.ts'
import type { Warehouse } from '../connection/connect.ts'

/** The account's spending and "not before" times, right under any number of processes. */
export function createQuotaLedger(warehouse: Warehouse, account: string): QuotaLedger {
  const { db } = warehouse
  const spending = { warehouse, account }
  return {
    async reserve(...[pool, day, calls, limit]) {
      if (calls <= 0) return 0
      const asked = { ...spending, pool, day, calls, limit }
      const granted = await take(asked)
      if (granted !== undefined) return granted
      await sql`insert into callsheet.quota (account, pool, day, spent)
        values (${account}, ${pool}, ${day}, 0) on conflict do nothing`.execute(db)
      return (await take(asked)) ?? 0
    },
    async giveBack(pool, day, calls) {
      if (calls <= 0) return
      await sql`update callsheet.quota set spent = greatest(0, spent - ${calls}::bigint)
        where account = ${account} and pool = ${pool} and day = ${day}`.execute(db)
    },
    async spent(pool, day) {
      const { rows } = await sql<{ spent: number }>`select spent from callsheet.quota
        where account = ${account} and pool = ${pool} and day = ${day}`.execute(db)
      return rows[0]?.spent ?? 0
    },
    readLabel: (label) => readLabel(spending, label),
    async holdLabel(label, notBeforeMs, reason) {
      await sql`
        insert into callsheet.labels as l (account, label, not_before, reason)
        values (${account}, ${label}, ${new Date(notBeforeMs).toISOString()}, ${reason})
        on conflict (account, label) do update set
          not_before = excluded.not_before, reason = excluded.reason
        where l.not_before is null or l.not_before < excluded.not_before`.execute(db)
    },
    async saveLearnedRate(label, callsPerSecond) {
      await sql`
        insert into callsheet.labels (account, label, learned_calls_per_second)
        values (${account}, ${label}, ${callsPerSecond})
        on conflict (account, label) do update set
          learned_calls_per_second = excluded.learned_calls_per_second`.execute(db)
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
 * The row is locked before what is left of it is worked out, so two at once cannot both take the last call.
 */
async function take({ warehouse, account, pool, day, calls, limit }: Asked) {
  const { rows } = await sql<{ granted: number }>`
    with held as (
      select spent from callsheet.quota
      where account = ${account} and pool = ${pool} and day = ${day} for update),
    share as (
      select spent, greatest(0, least(${calls}::bigint,
        coalesce(${limit ?? null}::bigint - spent, ${calls}::bigint))) as granted from held)
    update callsheet.quota q set spent = share.spent + share.granted from share
    where q.account = ${account} and q.pool = ${pool} and q.day = ${day}
    returning share.granted`.execute(warehouse.db)
  return rows[0]?.granted
}

async function readLabel(
  { warehouse, account }: { warehouse: Warehouse; account: string },
  label: string,
): Promise<LabelState> {
  const { rows } = await sql<{
    not_before: string | null
    reason: string | null
    rate: number | null
  }>`
    select not_before, reason, learned_calls_per_second as rate from callsheet.labels
    where account = ${account} and label = ${label}`.execute(warehouse.db)
  const { not_before: notBefore = null, reason = null, rate = null } = rows[0] ?? {}
  return {
    notBeforeMs: notBefore === null ? 0 : Date.parse(notBefore),
    reason: reason === 'rate' || reason === 'daily' ? reason : undefined,
    learnedCallsPerSecond: rate ?? undefined,
  }
}
