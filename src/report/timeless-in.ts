import { sql } from 'kysely'
import type { Period } from '../core/define/report-period.ts'
import type { Stream } from '../core/define/stream.ts'
import { iso } from '../core/time/time.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { rowsAsOf } from './report-rows.ts'
import type { SourceRun } from './source-runs.ts'

interface Asked {
  account: string
  stream: Stream
  period: Period | undefined
  run: SourceRun
}

/** Counts records without a time that were first seen since the period began; undefined if there are none. */
export async function timelessIn(
  tx: Transaction,
  { account, stream, period, run }: Asked,
): Promise<{ rows: number; column: string } | undefined> {
  const { sync } = stream
  if (sync.kind !== 'windows') return undefined
  const { rows } = await tx
    .selectFrom(rowsAsOf(stream, account, run).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where(sql.ref<string | null>(sync.cursor), 'is', null)
    .where('t._first_seen_at', '>=', iso(period?.fromMs ?? 0))
    .executeTakeFirstOrThrow()
  return rows === 0 ? undefined : { rows, column: sync.cursor }
}
