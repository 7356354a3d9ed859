import { chunks } from '../../core/chunks.ts'
import type { Stream } from '../../core/define/stream.ts'
import { point } from '../../core/kill-point.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { joinKey, keyHash } from '../../core/records/record-key.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { keyArrays } from '../../warehouse/schema/table-sql.ts'

interface Scope {
  account: string
  stream: Stream
}

/** Whether missing rows may wait as candidates between runs; otherwise each run decides about them. */
export function keepsCandidates({ deletions }: Stream): boolean {
  return deletions.by === 'second-read'
}

/** Rows that one complete read did not show, by joined key, with the time of that read. */
export async function candidatesOf(
  warehouse: Warehouse,
  { account, stream }: Scope,
): Promise<Map<string, number>> {
  const rows = await warehouse.db
    .selectFrom('callsheet.deletion_candidates')
    .select(['key', 'since'])
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .execute()
  return new Map(rows.map((row) => [joinKey(row.key), Date.parse(row.since)]))
}

/** Records new candidates. Clears those that this read showed, and those just marked as deleted. */
export async function updateCandidates(
  tx: Transaction,
  { account, stream, runId }: Scope & { runId: number },
  reading: {
    candidates: readonly string[][]
    deleted: readonly string[][]
    table: FingerprintTable
  },
): Promise<void> {
  await point('candidates:before')
  const rows = await tx
    .selectFrom('callsheet.deletion_candidates')
    .select('key')
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .execute()
  const { candidates, deleted, table } = reading
  const marked = new Set(deleted.map((key) => joinKey(key)))
  const cleared = rows.flatMap(({ key }) => {
    const hash = keyHash(key)
    const shown = table.has(hash) && !table.missing(hash)
    return shown || marked.has(joinKey(key)) ? [key] : []
  })
  for (const keys of chunks(cleared, KEYS_AT_ONCE))
    await tx
      .deleteFrom('callsheet.deletion_candidates as s')
      .using(keyArrays(stream, keys).as('k'))
      .where('s.account', '=', account)
      .where('s.stream', '=', stream.name)
      .whereRef('s.key', '=', 'k.key')
      .execute()
  for (const keys of chunks(candidates, KEYS_AT_ONCE))
    await tx
      .insertInto('callsheet.deletion_candidates')
      .columns(['account', 'stream', 'key', 'run_id', 'since'])
      .expression(({ selectFrom, val }) =>
        selectFrom(keyArrays(stream, keys).as('k')).select([
          val(account).as('account'),
          val(stream.name).as('stream'),
          'k.key',
          val(runId).as('run_id'),
          now.as('since'),
        ]),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await point('candidates:after')
}

const KEYS_AT_ONCE = 10_000
