import { sql } from 'kysely'
import type { FileKind, FileSource } from '../../core/define/file-source.ts'
import type { Window } from '../../core/time/spans.ts'
import { iso } from '../../core/time/time.ts'
import { widestSpan } from '../../core/time/widest-span.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import {
  deletedParent,
  expiryOf,
  itemOf,
  joinWhole,
  parentOf,
  type RowsToFetch,
  rowsToFetch,
  withheldParent,
} from './file-rows-sql.ts'
import { wantedAgain } from './lost-files.ts'
import { type ArchiveSession, appliedLabel, hasOutsiders } from './session-facts.ts'

/** A parent with files to fetch. */
export interface PendingParent extends ArchiveSession {
  /** The number of the session's files in the ledger; for recordings, and if not due soon, `archives`. */
  files: number
  /** The number of the parent's files that are still to be fetched. */
  archives: number
  /** The tries of the file that was tried most often. */
  tries: number
  /** The time span of the parent's activities; undefined if unknown. */
  span?: Window | undefined
  /** True if a sync has found that the service deleted the parent. */
  deleted: boolean
}

/**
 * The parents with files to fetch, earliest expiry first, without those whose files cannot be fetched now.
 * `untilMs`: only files that expire by then. `lost`: also stored files that are wanted again. The facts for
 * priorities are read only for parents that expire by `dueMs`, because no others are ranked.
 */
export async function pendingParents(
  db: Transaction,
  { account, source }: { account: string; source: FileSource },
  { untilMs, dueMs, lost }: { untilMs?: number | undefined; dueMs: number; lost: boolean },
): Promise<PendingParent[]> {
  const { kind } = source
  const rows = await db
    .with(
      (cte) => cte('pending').materialized(),
      () => pendingByParent(db, { account, source }, { untilMs, lost }),
    )
    .selectFrom('pending')
    .leftJoin('svc.whiteboard_sessions as s', (join) =>
      join
        .on('s.account', '=', account)
        .onRef('s.id', '=', 'pending.parent')
        .on(({ lit }) => lit(kind === 'activity'))
        .on('pending.expires_at', '<=', iso(dueMs)),
    )
    .select(['parent as session', 's.whiteboard_id as whiteboard', 'archives', 'tries'])
    .select(({ eb, fn, lit, ref, selectFrom }) => {
      const files = selectFrom('callsheet.files as f')
        .select(fn.countAll<number>().as('files'))
        .where('f.account', '=', account)
        .where('f.kind', '=', kind)
        .whereRef('f.parent', '=', 's.id')
      const times = selectFrom('svc.whiteboard_sessions as w')
        .select((w) => w.fn<Times>('json_build_array', ['w.start_time', 'w.end_time']).as('times'))
        .where(lit(kind === 'activity'))
        .where('w.account', '=', account)
        .whereRef('w.id', '=', 'pending.parent')
      return [
        'expires_at as expiresAt',
        deletedParent(source, account, ref('pending.parent')).as('deleted'),
        appliedLabel(account, ref('s.whiteboard_id')).as('label'),
        hasOutsiders(account, ref('s.id')).as('outsiders'),
        eb.case().when('s.id', 'is', null).then(ref('archives')).else(files).end().as('files'),
        times.as('times'),
      ]
    })
    .orderBy('expires_at', (order) => order.asc().nullsLast())
    .orderBy('parent')
    .execute()
  return rows.map(({ expiresAt, whiteboard, label, times, ...parent }) => ({
    ...parent,
    deleted: parent.deleted === true,
    outsiders: parent.outsiders === true,
    span: widestSpan(times?.[0] ?? null, times?.[1] ?? null),
    whiteboard: whiteboard ?? undefined,
    label: label ?? undefined,
    expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
  }))
}

type Times = (string | null)[]

function pendingByParent(
  db: Transaction,
  { account, source }: { account: string; source: FileSource },
  { untilMs, lost }: { untilMs: number | undefined; lost: boolean },
) {
  const files = db
    .selectFrom('callsheet.files as f')
    .select(['f.parent', 'f.expires_at', 'f.tries'])
    .where('f.account', '=', account)
    .where('f.kind', '=', source.kind)
  const pending = files.where('f.state', '=', 'pending')
  const wanted = lost ? pending.unionAll(files.where(wantedAgain)) : pending
  return db
    .selectFrom(wanted.as('f'))
    .select(({ fn }) => ['f.parent', fn.min('f.expires_at').as('expires_at')])
    .select(({ fn }) => [fn.countAll<number>().as('archives'), fn.max('f.tries').as('tries')])
    .where(({ eb, lit }) =>
      untilMs === undefined ? lit(true) : eb('f.expires_at', '<=', iso(untilMs)),
    )
    .where(({ not, ref }) => not(withheldParent(source, account, ref('f.parent'))))
    .groupBy('f.parent')
}

export interface PendingFile {
  item: string
  /** The digest in hex of the stored content, if the store has lost it. */
  sha256: string | undefined
}

/** A parent's files to fetch, least tried first, so that files that always fail do not block the others. */
export async function pendingFiles(
  db: Transaction,
  { account, kind }: { account: string; kind: FileKind },
  { parent, lost }: { parent: string; lost: boolean },
): Promise<PendingFile[]> {
  const rows = await db
    .selectFrom('callsheet.files as f')
    .select(['f.item', 'f.sha256'])
    .where('f.account', '=', account)
    .where('f.kind', '=', kind)
    .where('f.parent', '=', parent)
    .where(({ and, eb, lit, or }) =>
      or([eb('f.state', '=', 'pending'), and([wantedAgain, lit(lost)])]),
    )
    .orderBy('f.tries')
    .orderBy('f.item')
    .execute()
  return rows.map(({ item, sha256 }) => ({ item, sha256: sha256?.toString('hex') }))
}

export interface FileCounts {
  pending: number
  /** The number of pending files whose parent's files cannot be fetched now. */
  withheld: number
  /** Bytes of stored files that are not lost. A shared content counts once for each file. */
  storedBytes: number
}

export async function countFiles(
  db: Transaction,
  { account, source }: { account: string; source: FileSource },
): Promise<FileCounts> {
  return await db
    .selectFrom('callsheet.files as f')
    .select(({ and, cast, eb, fn, lit, or, ref }) => {
      const isPending = or([eb('f.state', '=', 'pending'), wantedAgain])
      const withheld = withheldParent(source, account, ref('f.parent'))
      const bytes = fn
        .sum('f.size')
        .filterWhere(and([eb('f.state', '=', 'stored'), eb('f.lost', 'is', null)]))
      return [
        fn.countAll<number>().filterWhere(isPending).as('pending'),
        fn
          .countAll<number>()
          .filterWhere(and([isPending, withheld]))
          .as('withheld'),
        cast<number>(fn.coalesce(bytes, lit(0)), 'float8').as('storedBytes'),
      ]
    })
    .where('f.account', '=', account)
    .where('f.kind', '=', source.kind)
    .executeTakeFirstOrThrow()
}

/** The files to fetch, including files that no run has recorded yet and files that the store has lost. */
export interface PendingWork {
  parents: number
  files: number
  /** One call for each file, and the calls that list the parents again. */
  calls: number
}

/** `pageSize`: files in a page of a parent's list; undefined if one answer has all of them. */
export async function pendingWork(
  tx: Transaction,
  { source, account }: { source: FileSource; account: string },
  { days, pageSize }: { days: number | undefined; pageSize: number | undefined },
): Promise<PendingWork> {
  await joinWhole(tx)
  const work: PendingWork = { parents: 0, files: 0, calls: 0 }
  const pages = pageSize === undefined ? sql`1` : sql`ceil(listed::float8 / ${pageSize}::int)`
  for (const rows of source.rows) {
    const found = await tx
      .selectFrom(byParent(tx, { account, source, rows, days }).as('one'))
      .select(({ fn }) => [
        fn.countAll<number>().as('parents'),
        sql<number>`coalesce(sum(pending), 0)::int`.as('files'),
        sql<number>`coalesce(sum(pending + ${pages}), 0)::int`.as('calls'),
      ])
      .where('pending', '>', 0)
      .executeTakeFirstOrThrow()
    for (const name of ['parents', 'files', 'calls'] as const) work[name] += found[name]
  }
  return work
}

/** By parent: how many unexpired files it lists, and how many of them are to be fetched. */
function byParent(tx: Transaction, which: RowsToFetch) {
  const { source, rows } = which
  return rowsToFetch(tx, which)
    .leftJoin('callsheet.files as f', (join) =>
      join
        .onRef('f.account', '=', 'r.account')
        .on('f.kind', '=', source.kind)
        .on('f.parent', '=', parentOf(rows))
        .on('f.item', '=', itemOf(rows)),
    )
    .where(sql<boolean>`coalesce(${expiryOf(source)} > callsheet.clock(), true)`)
    .select(({ eb, fn, or, val }) => {
      const pending = eb(fn.coalesce('f.state', val('pending')), '=', 'pending')
      return [
        fn.countAll<number>().as('listed'),
        fn
          .countAll<number>()
          .filterWhere(or([pending, wantedAgain]))
          .as('pending'),
      ]
    })
    .groupBy(parentOf(rows))
}
