import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'

/** What earlier transactions marked, so that no publication is marked again when more rows change. */
export interface ReportMarks {
  /** The IDs of the publications that were marked, in committed transactions, because rows changed. */
  covered: Set<number>
  /** The deliveries so far. A new delivery would need the account's lease, so none is missing here. */
  sent?: ReadonlyMap<string, ReadonlySet<string>>
}

/** Returns the deliveries, such as `mail`, by which each file was sent, by path and digest of the file. */
export async function sentFiles(
  tx: Transaction,
  account: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { rows } = await sql<{ path: string; sha256: string; sent: string }>`
    select distinct f->>'path' as path, f->>'sha256' as sha256, d.name as sent
    from callsheet.task_runs t,
      lateral (select t.detail union all select * from jsonb_array_elements(t.detail->'cuts')) p(one),
      jsonb_array_elements(p.one->'made'->'files') f,
      jsonb_array_elements_text(p.one->'delivered') d(name)
    where t.account = ${account} order by 3`.execute(tx)
  const sent = new Map<string, Set<string>>()
  for (const row of rows) {
    const names = sent.get(sentKey(row)) ?? new Set()
    sent.set(sentKey(row), names.add(row.sent))
  }
  return sent
}

export function sentKey({ path, sha256 }: { path: string; sha256: string }): string {
  return `${sha256} ${path}`
}
