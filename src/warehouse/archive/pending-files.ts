import { sql } from 'kysely'
import type { FileKind, FileSource } from '../../core/declare/file-source.ts'
import type { Span } from '../../core/time/spans.ts'
import { widestSpan } from '../../core/time/widest-span.ts'
import type { Transaction } from '../connection/connect.ts'
import { deletedParent, withheldParent } from './deleted-parents.ts'
import { wantedAgain } from './lost-files.ts'
import { appliedLabel, hasOutsiders } from './session-facts.ts'

interface Scope {
  account: string
  kind: FileKind
}

/** A parent with files to fetch, and what the priorities of the configuration look at. */
export interface PendingParent {
  session: string
  /** Undefined, as the label, for files that are not a whiteboard's and for what is not due soon. */
  whiteboard: string | undefined
  label: string | undefined
  outsiders: boolean
  /** Epoch milliseconds; infinite for what does not expire. */
  expiresAtMs: number
  /** All that the parent lists, and of them those that are still to be fetched. */
  files: number
  archives: number
  /** Between which instants its activities lie; undefined where that is not known. */
  span?: Span | undefined
  /** A sync has found that the service deleted it. */
  deleted: boolean
}

/**
 * The parents with files to fetch, earliest expiry first, and none whose files cannot be had now; with
 * `untilMs` only what expires until then, with `lost` also what is stored and wanted again. What the
 * priorities look at is read of what expires until `dueMs`: nothing is ranked that can wait longer.
 */
export async function pendingParents(
  db: Transaction,
  { account, source }: { account: string; source: FileSource },
  { untilMs, dueMs, lost }: { untilMs?: number | undefined; dueMs: number; lost: boolean },
): Promise<PendingParent[]> {
  const { kind } = source
  const within =
    untilMs === undefined ? sql`true` : sql`f.expires_at <= ${iso(untilMs)}::timestamptz`
  const { rows } = await sql<ParentRow>`
    with pending as materialized (
      select f.parent, min(f.expires_at) as expires_at, count(*)::int as archives
      from (
        select * from callsheet.files f
          where f.account = ${account} and f.kind = ${kind} and f.state = 'pending'
        union all
        select * from callsheet.files f
          where f.account = ${account} and f.kind = ${kind} and ${wantedAgain} and ${lost}::boolean) f
      where ${within} and not ${withheldParent(source, account, sql`f.parent`)}
      group by f.parent)
    select parent as session, s.whiteboard_id as whiteboard, archives, expires_at as "expiresAt",
      ${deletedParent(source, account, sql`parent`)} as deleted,
      ${appliedLabel(account, sql`s.whiteboard_id`)} as label,
      ${hasOutsiders(account, sql`s.id`)} as outsiders,
      case when s.id is null then archives else (select count(*)::int from callsheet.files f
        where f.account = ${account} and f.kind = ${kind} and f.parent = s.id) end as files,
      (select json_build_array(w.start_time, w.end_time) from svc.whiteboard_sessions w
        where ${kind} = 'activity' and w.account = ${account} and w.id = parent) as times
    from pending left join svc.whiteboard_sessions s on s.account = ${account} and s.id = parent
      and ${kind} = 'activity' and expires_at <= ${iso(dueMs)}::timestamptz
    order by expires_at nulls last, parent`.execute(db)
  return rows.map(({ expiresAt, whiteboard, label, times, ...parent }) => ({
    ...parent,
    span: widestSpan(times?.[0] ?? null, times?.[1] ?? null),
    whiteboard: whiteboard ?? undefined,
    label: label ?? undefined,
    expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
  }))
}

interface ParentRow extends Omit<PendingParent, 'whiteboard' | 'label' | 'expiresAtMs' | 'span'> {
  whiteboard: string | null
  label: string | null
  expiresAt: string | null
  times: (string | null)[] | null
}

export interface PendingFile {
  item: string
  expiresAtMs: number | undefined
  /** In hex: what was stored of it, where the store has lost that. */
  sha256: string | undefined
}

/** What was tried least comes first: those that fail each time must not stand before the others. */
export async function pendingFiles(
  db: Transaction,
  { account, kind }: Scope,
  { parent, lost }: { parent: string; lost: boolean },
): Promise<PendingFile[]> {
  const { rows } = await sql<{ item: string; expires_at: string | null; sha256: string | null }>`
    select f.item, f.expires_at, encode(f.sha256, 'hex') as sha256 from callsheet.files f
    where f.account = ${account} and f.kind = ${kind} and f.parent = ${parent}
      and (f.state = 'pending' or (${wantedAgain} and ${lost}::boolean))
    order by f.tries, f.item`.execute(db)
  return rows.map(({ item, expires_at: at, sha256 }) => ({
    item,
    sha256: sha256 ?? undefined,
    expiresAtMs: at === null ? undefined : Date.parse(at),
  }))
}

export interface FileCounts {
  pending: number
  /** Of these, what waits as its parent's files cannot be had now. */
  withheld: number
  /** Bytes of what is stored and not lost; the same content counts for each file that has it. */
  storedBytes: number
}

export async function countFiles(
  db: Transaction,
  { account, source }: { account: string; source: FileSource },
): Promise<FileCounts> {
  const isPending = sql`(f.state = 'pending' or ${wantedAgain})`
  const { rows } = await sql<FileCounts>`
    select count(*) filter (where ${isPending})::int as pending,
      count(*) filter (where ${isPending}
        and ${withheldParent(source, account, sql`f.parent`)})::int as withheld,
      coalesce(sum(f.size) filter (where f.state = 'stored' and f.lost is null), 0)::float8
        as "storedBytes"
    from callsheet.files f where f.account = ${account} and f.kind = ${source.kind}`.execute(db)
  return rows[0] ?? { pending: 0, withheld: 0, storedBytes: 0 }
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
