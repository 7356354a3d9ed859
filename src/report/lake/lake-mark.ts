import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

/** Identifies the changes to an account's rows of a stream that a snapshot contains. */
export interface LakeMark {
  /** The run as of which the rows were read. */
  run: number
  /** The account's newest noted change. A database without this ID and batch was restored from a backup. */
  id: number
  batch: string
  /** The snapshot may lack changes of this transaction and later ones: they were open, or of a later run. */
  from: number
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
  mark: LakeMark | undefined,
): Promise<LakeChanges> {
  const known = mark !== undefined && mark.run <= run ? mark : { id: 0, batch: '', from: 0 }
  const places = [`svc.${stream.name}`, `history.${stream.name}`]
  const { rows } = await sql<Omit<LakeMark, 'run'> & { days: (number | null)[] | null }>`
    with since as (select id, ${known.from}::bigint as "from" from callsheet.written
      where account = ${account} and id = ${known.id} and batch = ${known.batch}),
    noted as materialized (select days, newest_run, xact from callsheet.written
      where account = ${account} and place = ${anyOf(places)}
        and (id > coalesce((select id from since), 0) or xact >= (select "from" from since)))
    select id, batch,
      (select coalesce(jsonb_agg(distinct day), '[]') from noted, unnest(days) d(day)
        having exists (select from since)) as days,
      least(pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
        (select min(xact) from noted where newest_run > ${run})) as "from"
    from callsheet.written where account = ${account} order by id desc limit 1`.execute(tx)
  const [row] = rows
  if (row === undefined) return { days: undefined, mark: undefined }
  const { days, ...next } = row
  return { days: days ?? undefined, mark: { run, ...next } }
}
