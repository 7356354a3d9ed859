import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'

/** A ledger with a retention setting of its own. `slices` stands for all ledgers of `ledger.keepMonths`. */
export type KeptLedger = 'slices' | 'notifications'

/** Ledgers from which single rows are removed. Rows of `runs` stay but lose their details. */
export type ThinnedLedger = (typeof OF_SLICES)[number] | 'notifications'

/** Returns the ledgers that follow this setting, in the order in which they are pruned. */
export function thinnedWith(kept: KeptLedger): readonly ThinnedLedger[] {
  return kept === 'slices' ? OF_SLICES : ['notifications']
}

/** Records the start of the retention period, before anything is removed. */
export async function keepLedgerFrom(
  tx: Transaction,
  { ledger, months }: { ledger: KeptLedger; months: number },
): Promise<string> {
  const { at } = await tx
    .selectNoFrom(sql<string>`callsheet.keep_ledger_from(${ledger}, ${months})`.as('at'))
    .executeTakeFirstOrThrow()
  return at
}

/**
 * Drops the oldest month outside the retention period, and returns its name; undefined if there is none. The
 * lock timeout is short, because writers wait behind this statement while it waits for a long-running reader.
 * Postgres cancels an autovacuum of the month after `deadlock_timeout`, one second.
 */
export async function dropOldMonth(tx: Transaction): Promise<string | undefined> {
  await sql`set local lock_timeout = '3s'`.execute(tx)
  const { month } = await tx
    .selectNoFrom(sql<string | null>`callsheet.drop_old_month()`.as('month'))
    .executeTakeFirstOrThrow()
  return month ?? undefined
}

/** Removes or empties up to `most` old rows. Returns their number. */
export async function removeOldRows(
  tx: Transaction,
  { ledger, most }: { ledger: ThinnedLedger; most: number },
): Promise<number> {
  const { rows } = await tx
    .selectNoFrom(sql<number>`callsheet.remove_old_rows(${ledger}, ${most})`.as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}

/** Batches are pruned before runs, because the details of runs show which batches are still needed. */
const OF_SLICES = ['batches', 'runs', 'quarantine', 'task_runs', 'alerts', 'quota'] as const
