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

/** Returns the start of the retention period if the ledger were pruned now. */
export async function oldestKept(
  db: Transaction,
  { ledger, months }: { ledger: KeptLedger; months: number },
): Promise<string> {
  const known = db
    .selectFrom('callsheet.retention')
    .select('kept_from')
    .where('ledger', '=', ledger)
  const { at } = await db
    .selectNoFrom(({ fn }) =>
      fn<string>('greatest', [sql`callsheet.oldest_kept(${months})`, known]).as('at'),
    )
    .executeTakeFirstOrThrow()
  return at
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

export interface OldMonth {
  partition: string
  rows: number
  bytes: number
}

/** Returns the months that pruning would drop, the oldest first. */
export async function oldMonths(db: Transaction, before: string): Promise<OldMonth[]> {
  const { rows: months } = await sql<Omit<OldMonth, 'rows'>>`
    select partition, pg_total_relation_size(format('callsheet.%I', partition)::regclass) as bytes
    from callsheet.old_months(${before}::timestamptz)`.execute(db)
  const counted: OldMonth[] = []
  for (const { partition, bytes } of months) {
    const { rows } = await sql<{ rows: number }>`
      select count(*) as rows from ${sql.id('callsheet', partition)}`.execute(db)
    counted.push({ partition, bytes, rows: rows[0]?.rows ?? 0 })
  }
  return counted
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

/** Counts the rows of a ledger that pruning would remove or empty. */
export async function countOldRows(
  db: Transaction,
  { ledger, before }: { ledger: ThinnedLedger; before: string },
): Promise<number> {
  const old = sql<object>`callsheet.old_rows(${ledger}, ${before}::timestamptz, null)`
  const { rows } = await db
    .selectFrom(old.as('old'))
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
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
