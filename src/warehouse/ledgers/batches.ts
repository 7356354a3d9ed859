import { sql } from 'kysely'
import { noCounts, type RowCounts } from '../../core/records/load.ts'
import type { Transaction } from '../connection/connect.ts'

export interface BatchName {
  account: string
  runId: number
  /** Its number within the run, the same at each try. */
  batch: number
}

/** Enters what a batch wrote, in its own transaction: the sums equal what became of the tables. */
export async function recordBatch(
  tx: Transaction,
  { account, runId, batch }: BatchName,
  counts: ReadonlyMap<string, RowCounts>,
): Promise<void> {
  if (counts.size === 0) return
  const entries = [...counts].map(
    ([stream, { inserted, updated, unchanged, gone }]) =>
      sql`(${account}, ${runId}::bigint, ${batch}::int, ${stream}, ${inserted}::bigint,
        ${updated}::bigint, ${unchanged}::bigint, ${gone}::bigint, callsheet.clock())`,
  )
  await sql`insert into callsheet.batches
      (account, run_id, batch, stream, inserted, updated, unchanged, gone, at)
    values ${sql.join(entries)}
    on conflict (account, run_id, batch, stream) do update set inserted = excluded.inserted,
      updated = excluded.updated, unchanged = excluded.unchanged, gone = excluded.gone`.execute(tx)
}

/**
 * For another try: what the batch wrote if a try before was committed although its answer was lost, else
 * undefined. Claims the batch first, which waits for a try that the server may still be committing.
 */
export async function committedBatch(
  tx: Transaction,
  { account, runId, batch }: BatchName,
  stream: string,
): Promise<Map<string, RowCounts> | undefined> {
  const claimed = await sql`insert into callsheet.batches
      (account, run_id, batch, stream, inserted, updated, unchanged, gone, at)
    values (${account}, ${runId}, ${batch}, ${stream}, 0, 0, 0, 0, callsheet.clock())
    on conflict do nothing returning 1`.execute(tx)
  if (claimed.rows.length > 0) return undefined
  const { rows } = await sql<{ stream: string } & RowCounts>`
    select stream, inserted, updated, unchanged, gone from callsheet.batches
    where account = ${account} and run_id = ${runId} and batch = ${batch}`.execute(tx)
  return new Map(rows.map(({ stream: name, ...counts }) => [name, { ...noCounts(), ...counts }]))
}
