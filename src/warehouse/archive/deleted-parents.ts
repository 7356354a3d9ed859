import { type RawBuilder, sql } from 'kysely'
import type { FileSource } from '../../core/declare/file-source.ts'
import type { Transaction } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'
import { itemOf, parentOf, withheldBy } from './file-rows-sql.ts'
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
  return hasParent({ source, account, parent }, sql`p._deleted_at is not null`)
}

/** Whether a parent's files cannot be had now, as those of a recording in the trash. */
export function withheldParent(
  source: FileSource,
  account: string,
  parent: RawBuilder<unknown>,
): RawBuilder<boolean> {
  if (source.withheld === undefined) return sql`false`
  const which = sql<boolean>`p._deleted_at is null and ${withheldBy(source)}`
  return hasParent({ source, account, parent }, which)
}

/** Whether the row `p` of that parent is so. */
function hasParent(
  {
    source,
    account,
    parent,
  }: Pick<OfSource, 'source' | 'account'> & { parent: RawBuilder<unknown> },
  which: RawBuilder<boolean>,
): RawBuilder<boolean> {
  return sql`exists (select from ${current(source.parent)} p where p.account = ${account}
    and ${keyOf(source)} = ${parent} and ${which})`
}

/** How many files were written off: with their parents, and singly, as a parent lists them no more. */
export interface WrittenOff {
  withParents: number
  singly: number
}

/**
 * Writes off, with an incident each, what is pending of deleted parents and of deleted rows, and what the
 * store has lost of them: that is what the service would say of each file, so it need not be asked.
 */
export async function writeOffDeleted(tx: Transaction, of: OfSource): Promise<WrittenOff> {
  const { source } = of
  await joinWhole(tx)
  const withParents = await writeOff(tx, of, {
    reason: DELETED,
    which: sql`p._deleted_at is not null`,
  })
  const singly = await writeOff(tx, of, {
    reason: UNLISTED,
    which: sql`p._deleted_at is null and not ${withheldBy(source)}
      and ${hasRow(source, sql`r._deleted_at is not null`)}
      and not ${hasRow(source, sql`r._deleted_at is null`)}`,
  })
  return { withParents, singly }
}

interface Off {
  reason: string
  /** Of a file `f` and its parent `p`. */
  which: RawBuilder<boolean>
}

async function writeOff(
  tx: Transaction,
  { account, source, runId }: OfSource,
  { reason, which }: Off,
): Promise<number> {
  const { rows } = await sql<{ off: number }>`
    with off as (
      update callsheet.files f set reason = ${reason},
        state = case when f.state = 'pending' then 'missing' else f.state end,
        lost = case when f.state = 'pending' then f.lost else 'gone' end,
        state_at = case when f.state = 'pending' then callsheet.clock() else f.state_at end,
        run_id = case when f.state = 'pending' then ${runId}::bigint else f.run_id end
      from ${current(source.parent)} p
      where f.account = ${account} and f.kind = ${source.kind}
        and (f.state = 'pending' or (f.state = 'stored' and f.lost = 'wanted'))
        and p.account = f.account and ${keyOf(source)} = f.parent and ${which}
      returning f.parent, f.item),
    told as (
      insert into callsheet.incidents (account, kind, subject, run_id, at, detail)
      select ${account}, 'missing', ${incidentSubject(source.kind)}, ${runId}, callsheet.clock(), ${reason}
      from off on conflict do nothing)
    select count(*)::int as off from off`.execute(tx)
  return rows[0]?.off ?? 0
}

/**
 * What was written off so is wanted again where the service shows its parent, or its row, after all. Answers
 * how many.
 */
export async function reviveDeleted(tx: Transaction, of: OfSource): Promise<number> {
  const { source } = of
  await joinWhole(tx)
  return (
    (await revive(tx, of, { reason: DELETED, which: sql`p._deleted_at is null` })) +
    (await revive(tx, of, {
      reason: UNLISTED,
      which: hasRow(source, sql`r._deleted_at is null`),
    }))
  )
}

async function revive(
  tx: Transaction,
  { account, source, runId }: OfSource,
  { reason, which }: Off,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update callsheet.files f set reason = null, absent_since = null, absent_run_id = null,
      state = case when f.state = 'missing' then 'pending' else f.state end,
      lost = case when f.state = 'missing' then f.lost else 'wanted' end,
      state_at = case when f.state = 'missing' then callsheet.clock() else f.state_at end,
      run_id = case when f.state = 'missing' then ${runId}::bigint else f.run_id end
    from ${current(source.parent)} p
    where f.account = ${account} and f.kind = ${source.kind} and f.reason = ${reason}
      and (f.state = 'missing' or (f.state = 'stored' and f.lost = 'gone'))
      and p.account = f.account and ${keyOf(source)} = f.parent and ${which}`.execute(tx)
  return Number(numAffectedRows)
}

/** Whether a row that stands for the file `f` is so. */
function hasRow({ rows }: FileSource, which: RawBuilder<boolean>): RawBuilder<boolean> {
  const each = rows.map(
    (one) => sql<boolean>`exists (select from ${current(one.stream)} r where r.account = f.account
      and ${parentOf(one)} = f.parent and ${itemOf(one)} = f.item and ${which})`,
  )
  return sql`(${sql.join(each, sql` or `)})`
}

function keyOf({ parent }: FileSource): RawBuilder<unknown> {
  return sql.id('p', parent.key[0] as string)
}

/** Why a file was written off; only what has one of these reasons is wanted again when it is back. */
export const DELETED = 'a sync found that the service has deleted its session'
export const UNLISTED = 'a sync found that its session does not list it any more'
