import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

/** The run from which on a stream's records may lack entries. */
export async function readMark(tx: Transaction, account: string, stream: string): Promise<number> {
  const { rows } = await sql<{ run_id: number }>`
    select run_id from callsheet.evidence_marks
    where account = ${account} and stream = ${stream}`.execute(tx)
  return rows[0]?.run_id ?? 0
}

/** Where the mark may go once all that is there now has its entries: runs that are open may write on. */
export async function nextMark(tx: Transaction, account: string): Promise<number> {
  const { rows } = await sql<{ run: number | null }>`
    select coalesce(min(id) filter (where state = 'running'), max(id)) as run
    from callsheet.runs where account = ${account}`.execute(tx)
  return rows[0]?.run ?? 0
}

export async function setMark(
  tx: Transaction,
  account: string,
  { stream, runId }: { stream: string; runId: number },
): Promise<void> {
  await sql`insert into callsheet.evidence_marks (account, stream, run_id)
    values (${account}, ${stream}, ${runId})
    on conflict (account, stream) do update set run_id = excluded.run_id`.execute(tx)
}
