import { type RawBuilder, sql } from 'kysely'
import type { FileKind } from '../core/file-source.ts'
import type { Transaction } from './connect.ts'

interface Scope {
  account: string
  kind: FileKind
}

/** Who comes first when the quota does not suffice; the first rule that fits. */
export interface PriorityRule {
  whiteboards?: readonly string[] | undefined
  /** Names of labels that we applied ourselves. */
  labels?: readonly string[] | undefined
  outsiders?: true | undefined
}

export interface PendingParent {
  parent: string
  files: number
  /** Epoch milliseconds; undefined for what does not expire. */
  expiresAtMs: number | undefined
}

/**
 * The parents with files to fetch, earliest expiry first; by the rules before that for those that expire
 * until `scarceUntilMs`, where the quota does not suffice for all of them. `untilMs`: only what expires
 * until then.
 */
export async function pendingParents(
  db: Transaction,
  { account, kind }: Scope,
  {
    untilMs,
    scarceUntilMs,
    rules = [],
  }: {
    untilMs?: number | undefined
    scarceUntilMs?: number | undefined
    rules?: readonly PriorityRule[]
  },
): Promise<PendingParent[]> {
  const within =
    untilMs === undefined ? sql`true` : sql`f.expires_at <= ${iso(untilMs)}::timestamptz`
  const scarce =
    scarceUntilMs === undefined ? sql`false` : sql`expires_at <= ${iso(scarceUntilMs)}::timestamptz`
  const { rows } = await sql<{ parent: string; files: number; expires_at: string | null }>`
    with due as (
      select f.parent, min(f.expires_at) as expires_at, count(*)::int as files
      from callsheet.files f
      where f.account = ${account} and f.kind = ${kind} and f.state = 'pending' and ${within}
      group by f.parent)
    select parent, files, expires_at from due
    order by case when ${scarce} then 0 else 1 end,
      case when ${scarce} then ${rankBy(account, rules)} else 0 end,
      expires_at nulls last, parent`.execute(db)
  return rows.map(({ parent, files, expires_at: at }) => ({
    parent,
    files,
    expiresAtMs: at === null ? undefined : Date.parse(at),
  }))
}

export interface PendingFile {
  item: string
  expiresAtMs: number | undefined
}

export async function pendingFiles(
  db: Transaction,
  { account, kind }: Scope,
  parent: string,
): Promise<PendingFile[]> {
  const { rows } = await sql<{ item: string; expires_at: string | null }>`
    select item, expires_at from callsheet.files
    where account = ${account} and kind = ${kind} and parent = ${parent} and state = 'pending'`.execute(
    db,
  )
  return rows.map(({ item, expires_at: at }) => ({
    item,
    expiresAtMs: at === null ? undefined : Date.parse(at),
  }))
}

export interface FileCounts {
  pending: number
  /** Bytes of what is stored; the same content counts for each file that has it. */
  storedBytes: number
}

export async function countFiles(db: Transaction, { account, kind }: Scope): Promise<FileCounts> {
  const { rows } = await sql<{ pending: number; bytes: number }>`
    select count(*) filter (where state = 'pending')::int as pending,
      coalesce(sum(size) filter (where state = 'stored'), 0)::float8 as bytes
    from callsheet.files where account = ${account} and kind = ${kind}`.execute(db)
  return { pending: rows[0]?.pending ?? 0, storedBytes: rows[0]?.bytes ?? 0 }
}

/** The place of the first rule that fits; of none, after all. */
function rankBy(account: string, rules: readonly PriorityRule[]): RawBuilder<unknown> {
  if (rules.length === 0) return sql`0`
  const cases = rules.map((rule, at) => sql`when ${fits(account, rule)} then ${at}::int`)
  return sql`case ${sql.join(cases, sql` `)} else ${rules.length}::int end`
}

function fits(account: string, { whiteboards, labels, outsiders }: PriorityRule) {
  if (outsiders === true)
    return sql`exists (select 1 from svc.whiteboard_participants w where w.account = ${account}
      and w.session_id = due.parent and w._deleted_at is null and coalesce(w.email, '') = '')`
  const session = sql`select s.whiteboard_id from svc.whiteboard_sessions s
    where s.account = ${account} and s.id = due.parent`
  if (whiteboards !== undefined) return sql`(${session}) = any(${[...whiteboards]}::text[])`
  return sql`(select l.name from callsheet.applied_labels l
    where l.account = ${account} and l.whiteboard_id = (${session})
    order by l.applied_at desc limit 1) = any(${[...(labels ?? [])]}::text[])`
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
