import { cleanText } from '../../core/records/map-record.ts'
import type { Batch } from '../../core/records/row-batch.ts'
import type { Transaction } from '../connection/connect.ts'
import { now } from '../connection/expressions.ts'

/** Stores quarantined records, and each new kind of drift once. */
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

/** Bounds the findings: one more finding stands for all beyond the bound. */
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
