import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'

/** Kept for a time of its own; `slices` stands for all that `ledger.keepMonths` is about. */
export type KeptLedger = 'slices' | 'notifications'

/** Ledgers that lose single rows; of `runs` the details go, and the rows stay. */
export type ThinnedLedger = (typeof OF_SLICES)[number] | 'notifications'

/** By the setting that they go by, in the order in which they do. */
export function thinnedWith(kept: KeptLedger): readonly ThinnedLedger[] {
  return kept === 'slices' ? OF_SLICES : ['notifications']
}

/** From when a ledger would be kept that keeps so many months, if it were pruned now. */
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

/** Records from when the ledger is kept, before anything goes. */
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

/** The months that would be dropped, the oldest first. */
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
 * Drops the oldest of the months that are no longer kept, and returns its name; undefined once there is none.
 * It waits for no long reader: somebody who wants to write would wait behind it. An autovacuum of the month
 * is ended by the server once somebody has waited for `deadlock_timeout`, a second.
 */
export async function dropOldMonth(tx: Transaction): Promise<string | undefined> {
  await sql`set local lock_timeout = '3s'`.execute(tx)
  const { month } = await tx
    .selectNoFrom(sql<string | null>`callsheet.drop_old_month()`.as('month'))
    .executeTakeFirstOrThrow()
  return month ?? undefined
}

/** How many rows of a ledger would go, or be emptied. */
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

/** Removes or empties some of the rows that are no longer kept. Returns how many they were. */
export async function removeOldRows(
  tx: Transaction,
  { ledger, most }: { ledger: ThinnedLedger; most: number },
): Promise<number> {
  const { rows } = await tx
    .selectNoFrom(sql<number>`callsheet.remove_old_rows(${ledger}, ${most})`.as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}

/** Batches before runs, whose details say which of them are still needed. */
const OF_SLICES = ['batches', 'runs', 'quarantine', 'task_runs', 'alerts', 'quota'] as const
