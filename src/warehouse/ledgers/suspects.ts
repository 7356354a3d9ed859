import { chunks } from '../../core/chunks.ts'
import type { Stream } from '../../core/declare/stream.ts'
import { point } from '../../core/point.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { joinKey, keyHash } from '../../core/records/record-key.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'
import { now } from '../connection/expressions.ts'
import { keyArrays } from '../connection/table-sql.ts'

interface Scope {
  account: string
  stream: Stream
}

/** Whether a row is kept in mind until it was missed for long enough; else each run judges for itself. */
export function keepsSuspects({ gone }: Stream): boolean {
  return gone.by === 'second-reading' && gone.afterMs > 0
}

/** Rows that one complete reading did not show, by their joined key, with the time of that reading. */
export async function suspectsOf(
  warehouse: Warehouse,
  { account, stream }: Scope,
): Promise<Map<string, number>> {
  const rows = await warehouse.db
    .selectFrom('callsheet.suspects')
    .select(['key', 'since'])
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .execute()
  return new Map(rows.map((row) => [joinKey(row.key), Date.parse(row.since)]))
}

/** Enters new suspects, and clears those that this reading showed or that were marked in its transaction. */
export async function updateSuspects(
  tx: Transaction,
  { account, stream, runId }: Scope & { runId: number },
  reading: {
    suspects: readonly string[][]
    gone: readonly string[][]
    table: FingerprintTable
  },
): Promise<void> {
  await point('suspects:before')
  const rows = await tx
    .selectFrom('callsheet.suspects')
    .select('key')
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .execute()
  const { suspects, gone, table } = reading
  const marked = new Set(gone.map((key) => joinKey(key)))
  const cleared = rows.flatMap(({ key }) => {
    const hash = keyHash(key)
    const shown = table.has(hash) && !table.missing(hash)
    return shown || marked.has(joinKey(key)) ? [key] : []
  })
  for (const keys of chunks(cleared, KEYS_AT_ONCE))
    await tx
      .deleteFrom('callsheet.suspects as s')
      .using(keyArrays(stream, keys).as('k'))
      .where('s.account', '=', account)
      .where('s.stream', '=', stream.name)
      .whereRef('s.key', '=', 'k.key')
      .execute()
  for (const keys of chunks(suspects, KEYS_AT_ONCE))
    await tx
      .insertInto('callsheet.suspects')
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
  await point('suspects:after')
}

interface Fall extends Scope {
  runId: number
  missing: number
}

/**
 * True when a person released a brake of this stream that was pulled for at least as many rows. A release
 * serves one run that marks rows, and all of it, since a fall may lie in several slices; a run that was
 * stopped in the middle shares it with the runs that go on with it.
 */
export async function brakeReleased(
  warehouse: Warehouse,
  { account, stream, missing, runId, chainRunId }: Fall & { chainRunId: number },
): Promise<boolean> {
  const released = await warehouse.db
    .selectFrom('callsheet.brakes')
    .select('run_id')
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .where('released_at', 'is not', null)
    .where('missing', '>=', missing)
    .where('run_id', '<', runId)
    .where(({ fn, val }) => fn.coalesce('used_by_run_id', val(runId)), '>=', chainRunId)
    .executeTakeFirst()
  return released !== undefined
}

/**
 * Uses the stream's releases up: at the end of the transaction that marks by one, as other groups wait for
 * the row, or when no row was left to mark.
 */
export async function spendRelease(
  tx: Transaction,
  { account, stream, runId }: Scope & { runId: number },
): Promise<void> {
  await tx
    .updateTable('callsheet.brakes')
    .set({ used_by_run_id: runId })
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .where('released_at', 'is not', null)
    .where('used_by_run_id', 'is', null)
    .execute()
}

/**
 * Whether releases of the stream wait that nobody needs, once all of it was read and nothing was missing that
 * they would let go. What a run of this chain held back was not read again: its release waits for that.
 */
export async function hasIdleRelease(
  warehouse: Warehouse,
  { account, stream, chainRunId }: Scope & { chainRunId: number },
): Promise<boolean> {
  const { older, idle } = await warehouse.db
    .selectFrom('callsheet.brakes')
    .select(({ eb, fn }) => [
      fn<boolean | null>('bool_and', [eb('run_id', '<', chainRunId)]).as('older'),
      fn<boolean | null>('bool_or', [
        eb.and([eb('released_at', 'is not', null), eb('used_by_run_id', 'is', null)]),
      ]).as('idle'),
    ])
    .where('account', '=', account)
    .where('stream', '=', stream.name)
    .executeTakeFirstOrThrow()
  return older === true && idle === true
}

/**
 * In the transaction that settles the group, and last: the stream's other groups wait for the row. Several
 * slices of a run add up, and each only once.
 */
export async function brakeMarking(
  tx: Transaction,
  { account, stream, runId, missing, owned }: Fall & { owned: number },
): Promise<void> {
  await point('brake:before')
  await tx
    .insertInto('callsheet.brakes')
    .values({ account, stream: stream.name, run_id: runId, missing, owned, at: now })
    .onConflict((conflict) =>
      conflict.columns(['account', 'stream', 'run_id']).doUpdateSet(({ eb, ref }) => ({
        missing: eb('callsheet.brakes.missing', '+', ref('excluded.missing')),
        owned: eb('callsheet.brakes.owned', '+', ref('excluded.owned')),
      })),
    )
    .execute()
  await point('brake:after')
}

/** What the runs before this one of its chain held back: their slices are not read again, nor judged. */
export async function brakesOfChain(
  warehouse: Warehouse,
  { account, runId, chainRunId }: { account: string; runId: number; chainRunId: number },
): Promise<{ stream: string; missing: number; owned: number }[]> {
  return await warehouse.db
    .selectFrom('callsheet.brakes')
    .select(['stream', 'missing', 'owned'])
    .where('account', '=', account)
    .where('run_id', '>=', chainRunId)
    .where('run_id', '<', runId)
    .where('released_at', 'is', null)
    .execute()
}

/**
 * Releases what the run held back. Answers the streams that will be marked at their next complete reading.
 */
export async function releaseBrakes(
  warehouse: Warehouse,
  { account, runId }: { account: string; runId: number },
): Promise<string[]> {
  const rows = await warehouse.db
    .updateTable('callsheet.brakes')
    .set({ released_at: now })
    .where('account', '=', account)
    .where('run_id', '=', runId)
    .where('released_at', 'is', null)
    .returning('stream')
    .execute()
  return rows.map((row) => row.stream)
}

const KEYS_AT_ONCE = 10_000
