import { sql } from 'kysely'
import { cleanText } from '../../core/records/map-record.ts'
import type { Batch } from '../../core/records/row-batch.ts'
import type { Transaction } from '../connect.ts'
import { now } from '../schema/expressions.ts'

/** Stores quarantined records, and up to `MOST_FINDINGS` findings of drift that are not stored yet. */
export async function recordFindings(
  tx: Transaction,
  scope: { account: string; runId: number; slice: string },
  { quarantined, findings }: Pick<Batch, 'quarantined' | 'findings'>,
): Promise<void> {
  for (const { stream, reason, payload } of quarantined) {
    await tx
      .insertInto('callsheet.quarantine')
      .values({
        account: scope.account,
        stream: stream.name,
        slice: cleanText(scope.slice),
        run_id: scope.runId,
        at: now,
        reason,
        payload: cleanText(payload),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const seen = new Map(findings.map((found) => [JSON.stringify(found), found]))
  for (const { stream, finding } of bounded([...seen.values()])) {
    const { kind, path, example } = finding
    await tx
      .insertInto('callsheet.drift')
      .values({
        account: scope.account,
        stream,
        kind,
        path: cleanText(path),
        example: cleanText(example),
        first_run_id: scope.runId,
        first_seen_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Limits the findings: a single finding stands for all beyond the limit. */
function bounded(found: Batch['findings']): Batch['findings'] {
  const [first] = found
  if (first === undefined || found.length <= MOST_FINDINGS) return found
  const rest = {
    kind: first.finding.kind,
    path: `(more than ${MOST_FINDINGS} at once)`,
    example: 'many',
  }
  return [...found.slice(0, MOST_FINDINGS), { stream: first.stream, finding: rest }]
}

/** A slice whose last complete read quarantined some records. */
export interface SetAside {
  stream: string
  slice: string
  records: number
  /** Since when each complete read has quarantined records, as far back as the ledger goes. */
  since: string
}

/** Returns each `SetAside`. Ignores later failed reads, because they show nothing about the records. */
export async function slicesSetAside(db: Transaction, account: string): Promise<SetAside[]> {
  const { rows } = await sql<SetAside>`
    select st.stream, st.slice, last.quarantined as records, stretch.since
    from callsheet.slice_states st
    cross join lateral (
      select s.quarantined from callsheet.slices s
      where s.account = st.account and s.stream = st.stream and s.slice = st.slice and s.state = 'complete'
      order by s.finished_at desc limit 1) last
    cross join lateral (
      select min(s.finished_at) as since from callsheet.slices s
      where s.account = st.account and s.stream = st.stream and s.slice = st.slice and s.state = 'complete'
      and s.finished_at > coalesce((
        select max(good.finished_at) from callsheet.slices good
        where good.account = st.account and good.stream = st.stream and good.slice = st.slice
        and good.state = 'complete' and good.quarantined = 0), '-infinity')) stretch
    where st.account = ${account} and last.quarantined > 0 and (
      st.quarantined > 0 or st.state <> 'complete' and exists (
        select from callsheet.quarantine q where q.account = st.account))
    order by st.stream, st.slice`.execute(db)
  return rows
}

const MOST_FINDINGS = 1_000
