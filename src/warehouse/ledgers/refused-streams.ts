import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

/**
 * Of these streams, when they were last read whole, and since when they have not been allowed; a list that
 * was refused for itself, or is not there, was not read.
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
