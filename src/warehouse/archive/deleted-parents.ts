import { type RawBuilder, sql } from 'kysely'
import type { FileSource } from '../../core/declare/file-source.ts'
import type { Transaction } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'
import { incidentSubject, joinWhole } from './files.ts'

interface OfSource {
  account: string
  source: FileSource
  runId: number
}

/**
 * Whether a sync has found that the service deleted a parent: no list showed it, and the call for it alone
 * was answered with what the documents give for that.
 */
export function deletedParent(
  source: FileSource,
  account: string,
  parent: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql`exists (select from ${current(source.parent)} p where p.account = ${account}
    and ${keyOf(source)} = ${parent} and p._deleted_at is not null)`
}

/**
 * Writes off, with an incident each, what is pending of deleted parents, and what the store has lost of them:
 * that is what the service would say of each file, so it need not be asked. Answers how many.
 */
export async function writeOffDeleted(
  tx: Transaction,
  { account, source, runId }: OfSource,
): Promise<number> {
  await joinWhole(tx)
  const { rows } = await sql<{ off: number }>`
    with off as (
      update callsheet.files f set reason = ${DELETED},
        state = case when f.state = 'pending' then 'missing' else f.state end,
        lost = case when f.state = 'pending' then f.lost else 'gone' end,
        state_at = case when f.state = 'pending' then callsheet.clock() else f.state_at end,
        run_id = case when f.state = 'pending' then ${runId}::bigint else f.run_id end
      from ${current(source.parent)} p
      where f.account = ${account} and f.kind = ${source.kind}
        and (f.state = 'pending' or (f.state = 'stored' and f.lost = 'wanted'))
        and p.account = f.account and ${keyOf(source)} = f.parent and p._deleted_at is not null
      returning f.parent, f.item),
    told as (
      insert into callsheet.incidents (account, kind, subject, run_id, at, detail)
      select ${account}, 'missing', ${incidentSubject(source.kind)}, ${runId}, callsheet.clock(), ${DELETED}
      from off on conflict do nothing)
    select count(*)::int as off from off`.execute(tx)
  return rows[0]?.off ?? 0
}

/** What was written off so is wanted again where the service shows its parent after all. Answers how many. */
export async function reviveDeleted(
  tx: Transaction,
  { account, source, runId }: OfSource,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update callsheet.files f set reason = null, absent_since = null, absent_run_id = null,
      state = case when f.state = 'missing' then 'pending' else f.state end,
      lost = case when f.state = 'missing' then f.lost else 'wanted' end,
      state_at = case when f.state = 'missing' then callsheet.clock() else f.state_at end,
      run_id = case when f.state = 'missing' then ${runId}::bigint else f.run_id end
    from ${current(source.parent)} p
    where f.account = ${account} and f.kind = ${source.kind} and f.reason = ${DELETED}
      and (f.state = 'missing' or (f.state = 'stored' and f.lost = 'gone'))
      and p.account = f.account and ${keyOf(source)} = f.parent and p._deleted_at is null`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

function keyOf({ parent }: FileSource): RawBuilder<unknown> {
  return sql.id('p', parent.key[0] as string)
}

/** Why a file was written off; only what has this very reason is wanted again when its parent is back. */
export const DELETED = 'a sync found that the service has deleted its session'
