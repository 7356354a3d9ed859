import type { Stream } from '../../core/define/stream.ts'
import { UnusableValueError } from '../../core/errors.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { joinKey } from '../../core/records/record-key.ts'
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
  contents: TimelessContents
}

/** By key, which slice showed a record without a readable instant, and with which content. */
export type TimelessContents = Map<string, { slice: string; hash: string }>

/**
 * Refuses a record that another window of the run showed with other content: no time shows which of the two
 * is right, and one would overwrite the other.
 */
export function refuseOther(
  contents: TimelessContents,
  { operation }: Stream,
  shown: { key: readonly string[]; hash: Buffer; slice: string },
): void {
  const key = joinKey(shown.key)
  const hash = shown.hash.toString('latin1')
  const before = contents.get(key)
  if (before !== undefined && before.slice !== shown.slice && before.hash !== hash)
    throw new UnusableValueError('conflicting_windows', {
      tried: `Reading ${operation.id}, ${shown.slice}`,
      came: `${shown.key.join(' ')} has no readable time and differs from the record in ${before.slice}`,
      todo: "contact the service's support and ask which record is right; the first record stays stored",
    })
  if (contents.size < MOST_NOTED) contents.set(key, { slice: shown.slice, hash })
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
  return { table, writer: batchWriter(run, stream), contents: new Map() }
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

/** The maximum number of noted contents. More usually make the run incomplete anyway (`absentLimit`). */
const MOST_NOTED = 10_000
