import type { Stream } from '../../core/define/stream.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { loadFingerprints } from '../../warehouse/load/fingerprints.ts'
import type { RunContext } from '../run/run-context.ts'
import { type BatchWriter, batchWriter } from './batch-writer.ts'

/**
 * The rows of a stream of windows whose instant cannot be read. No window owns them, so no window reports
 * them missing. Several windows may show such a row, and in parallel they would write it twice, so all
 * windows of a run share one table and one writer for these rows.
 */
export interface TimelessRows {
  table: FingerprintTable
  writer: BatchWriter
}

/** The timeless rows of a stream; undefined if its windows form one group, with one table for all. */
export async function timelessRows(
  run: RunContext,
  stream: Stream,
): Promise<TimelessRows | undefined> {
  const { sync } = stream
  if (sync.kind !== 'windows' || sync.besides !== undefined) return undefined
  const owned = { kind: 'timeless', column: sync.cursor } as const
  const table = await retryDatabase(run, () =>
    loadFingerprints(run.warehouse, { account: run.account, stream, owned }),
  )
  return { table, writer: batchWriter(run, stream) }
}

/** Reports stored timeless rows that a run over every window did not show: no deletion check covers them. */
export function reportTimeless(
  run: RunContext,
  { name, sync }: Stream,
  timeless: TimelessRows | undefined,
): void {
  const missing = timeless?.table.countMissing() ?? 0
  if (!run.full || missing === 0 || sync.kind !== 'windows') return
  run.problem(
    `${name}: the service no longer lists ${missing} rows without a readable ${sync.cursor}, so ` +
      'Callsheet cannot tell whether they were deleted',
    false,
  )
}
