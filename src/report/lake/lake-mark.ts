import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

/** Identifies the changes to an account's rows of a stream that a snapshot contains. */
export interface LakeMark {
  /** The run as of which the rows were read. */
  run: number
  /** The account's newest noted change. If the database lacks this ID with this batch, it was restored. */
  id: number
  batch: string
  /** Transactions whose changes the snapshot lacks: they were still open, or belong to a later run. */
  open: readonly number[]
}

export interface LakeChanges {
  /** The days with changes; undefined if any day may have changed. Null stands for rows without a time. */
  days: readonly (number | null)[] | undefined
  /** The mark for the next export; undefined if the next export must compare all days. */
  mark: LakeMark | undefined
}

/**
 * Returns the days whose rows any run, command or person wrote, changed or removed since a mark, and the next
 * mark. Triggers note each change in `callsheet.written`. Call this in the snapshot that reads the rows.
 */
export async function changesSince(
  tx: Transaction,
  { account, stream, run }: { account: string; stream: Stream; run: number },
  since: LakeMark | undefined,
): Promise<LakeChanges> {
  const known = since !== undefined && since.run <= run && (await isSame(tx, account, since))
  const isNew = known
    ? sql`(id > ${since.id} or xact = any(${[...since.open]}::bigint[]))`
    : sql`newest_run > ${run}`
  const { rows } = await sql<{
    days: (number | null)[]
    later: number[]
    id: number
    batch: string
  }>`
    with noted as materialized (
      select days, newest_run, xact from callsheet.written
      where account = ${account} and ${isNew}
        and place = ${anyOf([`svc.${stream.name}`, `history.${stream.name}`])})
    select (select coalesce(jsonb_agg(distinct day), '[]') from noted, unnest(days) d(day)) as days,
      (select coalesce(jsonb_agg(distinct xact), '[]') from (
        select xact from noted where newest_run > ${run}
        union all select pg_snapshot_xip(pg_current_snapshot())::text::bigint) o(xact)) as later,
      id, batch
    from callsheet.written where account = ${account} order by id desc limit 1`.execute(tx)
  const [row] = rows
  if (row === undefined) return { days: undefined, mark: undefined }
  const { days, later, id, batch } = row
  const mark = later.length > MOST_OPEN ? undefined : { run, id, batch, open: later }
  return { days: known ? days : undefined, mark }
}

/** Returns true if the database still has the mark's change, so it was not restored from an earlier state. */
async function isSame(tx: Transaction, account: string, { id, batch }: LakeMark): Promise<boolean> {
  const row = await tx
    .selectFrom('callsheet.written')
    .select('id')
    .where('account', '=', account)
    .where('id', '=', id)
    .where('batch', '=', batch)
    .executeTakeFirst()
  return row !== undefined
}

const MOST_OPEN = 1_000
