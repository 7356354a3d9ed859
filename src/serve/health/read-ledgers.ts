import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { now, wall } from '../../warehouse/schema/expressions.ts'

export interface LedgerStatus {
  /** Deletions above the limit that nobody has approved. */
  trippedGuards: { stream: string; runId: number; missing: number; owned: number; at: string }[]
  /** Calls made since 00:00 UTC, by pool. */
  quota: { pool: string; spent: number }[]
  /** Rate labels that must wait because of a response of the service. */
  held: { label: string; until: string; reason: string }[]
  /** Logins by app, when each ends unless renewed, and why a new login is needed. */
  logins: { kind: string; endsAt: string | null; needsReauth: string | null }[]
  /** When the lease of the syncing process expires; undefined if no process syncs the account. */
  syncingUntil: string | undefined
}

export async function readLedgers(db: Transaction, account: string): Promise<LedgerStatus> {
  const trippedGuards = await readTrippedGuards(db, account)
  const quota = await db
    .selectFrom('callsheet.quota')
    .select(['pool', 'spent'])
    .where('account', '=', account)
    .where('day', '=', sql<string>`(callsheet.clock() at time zone 'UTC')::date`)
    .orderBy('pool')
    .execute()
  const held = await db
    .selectFrom('callsheet.labels')
    .select('label')
    .select(({ fn, ref, val }) => [
      ref('retry_at').$notNull().as('until'),
      fn.coalesce('reason', val('rate')).as('reason'),
    ])
    .where('account', '=', account)
    .where('retry_at', '>', now)
    .orderBy('label')
    .execute()
  const lease = await db
    .selectFrom('callsheet.leases')
    .select('expires_at')
    .where('account', '=', account)
    .where('holder', 'is not', null)
    .where('expires_at', '>', wall)
    .executeTakeFirst()
  const logins = await db
    .selectFrom('callsheet.tokens')
    .select(['kind', 'grant_ends_at as endsAt', 'needs_reauth as needsReauth'])
    .where('account', '=', account)
    .where(({ eb, or }) =>
      or([eb('grant_ends_at', 'is not', null), eb('needs_reauth', 'is not', null)]),
    )
    .orderBy('kind')
    .execute()
  return { trippedGuards, quota, held, logins, syncingUntil: lease?.expires_at }
}

/**
 * Returns unapproved deletions, except for streams that a later complete run of the job has read. A run of a
 * range does not count, because it may not have read the slices whose deletions were held back.
 */
async function readTrippedGuards(
  db: Transaction,
  account: string,
): Promise<LedgerStatus['trippedGuards']> {
  return await db
    .selectFrom('callsheet.deletion_guards as g')
    .innerJoin('callsheet.runs as r', (join) =>
      join.onRef('r.account', '=', 'g.account').onRef('r.id', '=', 'g.run_id'),
    )
    .select(['g.stream', 'g.run_id as runId', 'g.missing', 'g.owned', 'g.at'])
    .where('g.account', '=', account)
    .where('g.approved_at', 'is', null)
    .where(({ exists, not, selectFrom }) => {
      const later = selectFrom('callsheet.runs as later')
        .select('later.id')
        .where('later.account', '=', account)
        .whereRef('later.job', '=', 'r.job')
        .whereRef('later.id', '>', 'r.id')
        .where('later.state', '=', 'complete')
        .where((run) =>
          run.or([
            run('later.partial', '=', false),
            run(sql`later.summary->'tables'->g.stream`, 'is not', null),
          ]),
        )
        .where(sql`later.summary->'notAllowed'->g.stream`, 'is', null)
        .where(sql`later.summary->'range'`, 'is', null)
      return not(exists(later))
    })
    .orderBy('g.run_id', 'desc')
    .orderBy('g.stream')
    .execute()
}
