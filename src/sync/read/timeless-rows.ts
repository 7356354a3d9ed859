import type { Stream } from '../../core/define/stream.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { loadFingerprints } from '../../warehouse/load/fingerprints.ts'
import type { RunContext } from '../run/run-context.ts'
import { type BatchWriter, batchWriter } from './batch-writer.ts'

/**
 * The rows of a stream of windows whose instant cannot be read. No window owns them, so none misses them;
 * several may show one, and read side by side they would write it twice: so all of a run share one table of
 * them and one writer.
 */
export interface TimelessRows {
  table: FingerprintTable
  writer: BatchWriter
}

/** Those of the stream; undefined where its windows are one group, which shares all. */
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

/** What is held of them and was not shown by a run that read every window: nobody judges that. */
export function reportTimeless(
  run: RunContext,
  { name, sync }: Stream,
  timeless: TimelessRows | undefined,
): void {
  const missing = timeless?.table.countMissing() ?? 0
  if (!run.full || missing === 0 || sync.kind !== 'windows') return
  run.problem(
    `${name}: ${missing} rows without a ${sync.cursor} that can be read were not shown. No window owns ` +
      'them, so nobody can say whether they are deleted',
    false,
  )
}
