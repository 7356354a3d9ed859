import { sql } from 'kysely'
import { chunks } from '../../core/chunks.ts'
import type { Stream } from '../../core/declare/stream.ts'
import { point } from '../../core/point.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { joinKey, keyHash } from '../../core/records/record-key.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'
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
  const { rows } = await sql<{ key: string[]; since: string }>`
    select key, since from callsheet.suspects where account = ${account} and stream = ${stream.name}`.execute(
    warehouse.db,
  )
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
  const { rows } = await sql<{ key: string[] }>`
    select key from callsheet.suspects where account = ${account} and stream = ${stream.name}`.execute(
    tx,
  )
  const { suspects, gone, table } = reading
  const marked = new Set(gone.map((key) => joinKey(key)))
  const cleared = rows.flatMap(({ key }) => {
    const hash = keyHash(key)
    const shown = table.has(hash) && !table.missing(hash)
    return shown || marked.has(joinKey(key)) ? [key] : []
  })
  for (const keys of chunks(cleared, KEYS_AT_ONCE))
    await sql`delete from callsheet.suspects s using (${keyArrays(stream, keys)}) k
      where s.account = ${account} and s.stream = ${stream.name} and s.key = k.key`.execute(tx)
  for (const keys of chunks(suspects, KEYS_AT_ONCE))
    await sql`insert into callsheet.suspects (account, stream, key, run_id, since)
      select ${account}, ${stream.name}, k.key, ${runId}, callsheet.clock()
      from (${keyArrays(stream, keys)}) k on conflict do nothing`.execute(tx)
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
  const { rows } = await sql`
    select 1 from callsheet.brakes
    where account = ${account} and stream = ${stream.name} and released_at is not null
      and missing >= ${missing} and run_id < ${runId}
      and coalesce(used_by_run_id, ${runId}) >= ${chainRunId}`.execute(warehouse.db)
  return rows.length > 0
}

/**
 * Uses the stream's releases up: at the end of the transaction that marks by one, as other groups wait for
 * the row, or when no row was left to mark.
 */
export async function spendRelease(
  tx: Transaction,
  { account, stream, runId }: Scope & { runId: number },
): Promise<void> {
  await sql`update callsheet.brakes set used_by_run_id = ${runId}
    where account = ${account} and stream = ${stream.name} and released_at is not null
      and used_by_run_id is null`.execute(tx)
}

/**
 * Whether releases of the stream wait that nobody needs, once all of it was read and nothing was missing that
 * they would let go. What a run of this chain held back was not read again: its release waits for that.
 */
export async function hasIdleRelease(
  warehouse: Warehouse,
  { account, stream, chainRunId }: Scope & { chainRunId: number },
): Promise<boolean> {
  const { rows } = await sql<{ idle: boolean | null }>`
    select bool_and(run_id < ${chainRunId})
      and bool_or(released_at is not null and used_by_run_id is null) as idle
    from callsheet.brakes where account = ${account} and stream = ${stream.name}`.execute(
    warehouse.db,
  )
  return rows[0]?.idle === true
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
  await sql`insert into callsheet.brakes (account, stream, run_id, missing, owned, at)
    values (${account}, ${stream.name}, ${runId}, ${missing}, ${owned}, callsheet.clock())
    on conflict (account, stream, run_id) do update set missing = callsheet.brakes.missing + excluded.missing,
      owned = callsheet.brakes.owned + excluded.owned`.execute(tx)
  await point('brake:after')
}

/** What the runs before this one of its chain held back: their slices are not read again, nor judged. */
export async function brakesOfChain(
  warehouse: Warehouse,
  { account, runId, chainRunId }: { account: string; runId: number; chainRunId: number },
): Promise<{ stream: string; missing: number; owned: number }[]> {
  const { rows } = await sql<{ stream: string; missing: number; owned: number }>`
    select stream, missing, owned from callsheet.brakes
    where account = ${account} and run_id >= ${chainRunId} and run_id < ${runId}
      and released_at is null`.execute(warehouse.db)
  return rows
}

/**
 * Releases what the run held back. Answers the streams that will be marked at their next complete reading.
 */
export async function releaseBrakes(
  warehouse: Warehouse,
  { account, runId }: { account: string; runId: number },
): Promise<string[]> {
  const { rows } = await sql<{ stream: string }>`
    update callsheet.brakes set released_at = callsheet.clock()
    where account = ${account} and run_id = ${runId} and released_at is null returning stream`.execute(
    warehouse.db,
  )
  return rows.map((row) => row.stream)
}

const KEYS_AT_ONCE = 10_000
