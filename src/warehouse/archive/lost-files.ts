import { type RawBuilder, sql } from 'kysely'
import { cleanText } from '../../core/records/map-record.ts'
import { arrayText } from '../connection/array-text.ts'
import type { Transaction } from '../connection/connect.ts'
import { type FileOutcome, type FileScope, incidentSubject, saidAgain } from './files.ts'

/** What the store should hold under a digest in hex. */
export interface StoredContent {
  sha256: string
  size: number
}

type Scope = Omit<FileScope, 'runId'>

/** Of a row of the ledger `f`: the store has lost what is stored, and the service may still have it. */
export const wantedAgain: RawBuilder<boolean> = sql`(f.state = 'stored' and f.lost = 'wanted'
  and coalesce(f.expires_at > callsheet.clock(), true))`

/**
 * What is stored and could be fetched again, whether or not it is known to be lost: what expires first, at
 * most so many.
 */
export async function contentsToBeHad(
  tx: Transaction,
  { account, kind }: Scope,
  { lost, most }: { lost: boolean; most: number },
): Promise<StoredContent[]> {
  const which = lost
    ? wantedAgain
    : sql`f.state = 'stored' and f.lost is null
    and coalesce(f.expires_at > callsheet.clock(), true)`
  const { rows } = await sql<StoredContent>`
    select encode(f.sha256, 'hex') as sha256, min(f.size)::float8 as size
    from callsheet.files f where f.account = ${account} and f.kind = ${kind} and ${which}
    group by f.sha256 order by min(f.expires_at) nulls last limit ${most}`.execute(tx)
  return rows
}

/** The store has lost the contents of these digests: their files are wanted again. */
export async function noteLost(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return
  await sql`update callsheet.files set lost = 'wanted'
    where account = ${account} and state = 'stored' and lost is null
      and sha256 in (${decoded(digests)})`.execute(tx)
}

/** The store has the contents of these digests, whole: of each file that has them. */
export async function noteWhole(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return
  await sql`update callsheet.files set lost = null, reason = null, absent_since = null, absent_run_id = null
    where account = ${account} and lost is not null and sha256 in (${decoded(digests)})`.execute(tx)
}

/**
 * What became of files that were lost: whole again, with all of the same content, or still wanted, for a
 * reason. Answers those that the service no longer has, with an incident each; what is entered of them stays.
 */
export async function settleLost(
  tx: Transaction,
  { account, kind, runId }: FileScope,
  outcomes: readonly FileOutcome[],
): Promise<Pick<FileOutcome, 'parent' | 'item'>[]> {
  await noteWhole(
    tx,
    account,
    outcomes.flatMap(({ stored }) => (stored === undefined ? [] : [stored.sha256])),
  )
  const failed = outcomes.filter(({ state }) => state !== 'stored')
  if (failed.length === 0) return []
  const column = (
    take: (outcome: FileOutcome) => Parameters<typeof arrayText>[0][number],
  ): unknown => arrayText(failed.map(take))
  const { rows } = await sql<Pick<FileOutcome, 'parent' | 'item'>>`
    with ended as (
      select * from unnest(${column(({ parent }) => parent)}::text[],
        ${column(({ item }) => item)}::text[],
        ${column(({ reason = '' }) => cleanText(reason))}::text[],
        ${column(({ absent }) => absent === true)}::boolean[],
        ${column(({ state }) => state === 'missing')}::boolean[])
        as e(parent, item, reason, absent, missing)),
    settled as (
      update callsheet.files f set tries = f.tries + 1, reason = e.reason,
        lost = case when e.missing or ${saidAgain(runId)} then 'gone' else 'wanted' end,
        absent_since = case when e.absent then coalesce(f.absent_since, callsheet.clock())
          else f.absent_since end,
        absent_run_id = case when e.absent then coalesce(f.absent_run_id, ${runId}::bigint)
          else f.absent_run_id end
      from ended e
      where f.account = ${account} and f.kind = ${kind} and f.parent = e.parent and f.item = e.item
        and f.state = 'stored' and f.lost = 'wanted'
      returning f.parent, f.item, f.lost, f.reason),
    told as (
      insert into callsheet.incidents (account, kind, subject, run_id, at, detail)
      select ${account}, 'missing', ${incidentSubject(kind)}, ${runId}, callsheet.clock(), reason
      from settled where lost = 'gone' on conflict do nothing)
    select parent, item from settled where lost = 'gone'`.execute(tx)
  return rows
}

function decoded(digests: readonly string[]): RawBuilder<unknown> {
  return sql`select decode(digest, 'hex') from unnest(${arrayText(digests)}::text[]) as digest`
}
