import { type SqlBool, sql } from 'kysely'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'

/**
 * When each stream was last read completely, and since when access to it has been denied. A list that was
 * refused individually, or is absent, does not count as read.
 */
export async function refusedSince(
  db: Transaction,
  { account, streams }: { account: string; streams: readonly string[] },
): Promise<{ stream: string; lastRead: string | null; since: string | null }[]> {
  const asked = sql<{ stream: string }>`unnest(${[...streams]}::text[])`
  return await db
    .selectFrom(asked.as<'asked'>(sql`asked(stream)`))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('callsheet.slices')
          .select(({ fn }) =>
            fn
              .max<string | null>('finished_at')
              .filterWhere('state', '=', 'complete')
              .filterWhere('error', 'is', null)
              .as('lastRead'),
          )
          .where('account', '=', account)
          .whereRef('stream', '=', 'asked.stream')
          .as('read'),
      (join) => join.onTrue(),
    )
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('callsheet.slices')
          .select(({ fn }) => fn.min<string | null>('finished_at').as('since'))
          .where('account', '=', account)
          .whereRef('stream', '=', 'asked.stream')
          .where('state', '=', 'not_allowed')
          .where(({ eb, or, ref }) =>
            or([eb('read.lastRead', 'is', null), eb('finished_at', '>=', ref('read.lastRead'))]),
          )
          .as('refused'),
      (join) => join.onTrue(),
    )
    .select(['asked.stream', 'read.lastRead', 'refused.since'])
    .orderBy('asked.stream')
    .execute()
}

interface AskedStream {
  account: string
  stream: string
}

/** Whether a run ever read a stream to its end; a run of a range did not. */
export async function everRead(
  { db }: Warehouse,
  { account, stream }: AskedStream,
): Promise<boolean> {
  const read = sql<SqlBool>`(summary->'read' ? ${stream}
    or state = 'complete' and planned ? ${stream} and not summary ? 'range')
    and not coalesce(summary->'notAllowed' ? ${stream}, false)`
  const row = await db
    .selectFrom('callsheet.runs')
    .select('id')
    .where('account', '=', account)
    .where('finished_at', 'is not', null)
    .where(read)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Why the newest run that requested a stream was denied access; undefined if it was not. */
export async function lastRefusal(
  { db }: Warehouse,
  { account, stream }: AskedStream,
): Promise<string | undefined> {
  const asked = sql<SqlBool>`planned ? ${stream} or summary->'notAllowed' ? ${stream}`
  const row = await db
    .selectFrom('callsheet.runs')
    .select(sql<string | null>`summary->'notAllowed'->>${stream}::text`.as('reason'))
    .where('account', '=', account)
    .where('finished_at', 'is not', null)
    .where(asked)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.reason ?? undefined
}
