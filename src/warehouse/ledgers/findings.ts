import { sql } from 'kysely'
import { cleanText } from '../../core/records/cut-row.ts'
import type { Batch } from '../../core/records/load.ts'
import type { Transaction } from '../connection/connect.ts'

/** Keeps what could not be a row, and each new kind of thing that the documents do not name, once. */
export async function recordFindings(
  tx: Transaction,
  scope: { account: string; runId: number; slice: string },
  { quarantined, findings }: Pick<Batch, 'quarantined' | 'findings'>,
): Promise<void> {
  for (const { stream, reason, payload } of quarantined) {
    await sql`insert into callsheet.quarantine (account, stream, slice, run_id, at, reason, payload)
      values (${scope.account}, ${stream.name}, ${cleanText(scope.slice)}, ${scope.runId}, callsheet.clock(),
        ${reason}, ${cleanText(payload)}) on conflict do nothing`.execute(tx)
  }
  const seen = new Map(findings.map((found) => [JSON.stringify(found), found]))
  for (const { stream, finding } of bounded([...seen.values()])) {
    await sql`insert into callsheet.drift (account, stream, kind, path, example, first_run_id, first_seen_at)
      values (${scope.account}, ${stream}, ${finding.kind}, ${cleanText(finding.path)},
        ${cleanText(finding.example)},
        ${scope.runId}, callsheet.clock()) on conflict do nothing`.execute(tx)
  }
}

/** Whoever calls each field otherwise in each record is told of as that. */
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

const MOST_FINDINGS = 1_000
