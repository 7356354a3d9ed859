import { sql } from 'kysely'
import type { FileKind } from '../../core/define/file-source.ts'
import type { FilePlace } from '../../evidence/sql/evidence-files.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { decoded } from './file-rows-sql.ts'
import { judged, type RetentionScope, storedContents } from './retention-rules.ts'

/** A stored file that is due for removal by its rule, and the verdict on it. */
export interface DueFile {
  kind: FileKind
  parent: string
  item: string
  sha256: string
  size: number
  /** When the activity, its session or the recording began; if unknown, when the file was stored. */
  at: string
  /** The place of the rule in the configuration, from 0. */
  rule: number
  whiteboard: string | null
  /** The oldest hold that keeps the file. */
  hold: string | null
  /** `shared`: another file has the same content and stays. */
  verdict: 'goes' | 'held' | 'shared'
}

/** A stored content whose files may all be removed. */
export interface DueContent {
  sha256: string
  size: number
  files: number
  rule: number
}

/** All stored files that are due for removal by their rule, ordered by content, from one snapshot. */
export function dueFiles(tx: Transaction, scope: RetentionScope): AsyncGenerator<DueFile> {
  const query = judged(tx, scope, storedContents(tx, scope))
    .selectFrom('judged')
    .select(['kind', 'parent', 'item', 'size', 'at', 'whiteboard_id as whiteboard', 'hold'])
    .select(({ eb, ref }) => [
      sql<string>`encode(sha256, 'hex')`.as('sha256'),
      ref('rule').$notNull().as('rule'),
      eb
        .case()
        .when('hold', 'is not', null)
        .then<DueFile['verdict']>('held')
        .when('goes', '=', true)
        .then<DueFile['verdict']>('goes')
        .else<DueFile['verdict']>('shared')
        .end()
        .as('verdict'),
    ])
    .where('due', '=', true)
    .orderBy('judged.sha256')
    .orderBy('kind')
    .orderBy('parent')
    .orderBy('item')
  return cursorRows(tx, 'due files', query)
}

/**
 * Looks at the next stored contents and returns those that may be removed. `last` is where the next call
 * continues; undefined after the last content.
 */
export async function dueContents(
  db: Transaction,
  scope: RetentionScope,
  { after, limit }: { after: string; limit: number },
): Promise<{ due: DueContent[]; last: string | undefined }> {
  const stored = storedContents(db, scope)
    .where('sha256', '>', Buffer.from(after, 'hex'))
    .orderBy('sha256')
    .limit(limit)
  const next = await db.selectFrom(stored.as('next')).select('sha256').orderBy('sha256').execute()
  const digests = next.map(({ sha256 }) => sha256.toString('hex'))
  const due = await judged(db, scope, decoded(digests))
    .selectFrom('judged')
    .select(({ fn }) => [
      sql<string>`encode(sha256, 'hex')`.as('sha256'),
      fn.max('size').as('size'),
      fn.countAll<number>().as('files'),
      fn.min('rule').$notNull().as('rule'),
    ])
    .where('goes', '=', true)
    .groupBy('judged.sha256')
    .orderBy('judged.sha256')
    .execute()
  return { due, last: digests.at(-1) }
}

/**
 * Records the files of these contents as removed, with their rule as the reason, if they may still go. The
 * caller holds `lockHolds`. Returns the recorded contents and files.
 */
export async function markRemoved(
  tx: Transaction,
  scope: RetentionScope,
  contents: readonly string[],
): Promise<{ due: DueContent[]; files: FilePlace[] }> {
  const rows = await judged(tx, scope, decoded(contents))
    .with('marked', (db) =>
      db
        .updateTable('callsheet.files as f')
        .from('judged as j')
        .set({
          state: 'removed',
          state_at: now,
          bytes_gone_at: null,
          reason: sql<string>`format('archive.retention[%s]: keepDays %s', j.rule, j.keep_days)`,
        })
        .where('j.goes', '=', true)
        .where('f.account', '=', scope.account)
        .whereRef('f.kind', '=', 'j.kind')
        .whereRef('f.parent', '=', 'j.parent')
        .whereRef('f.item', '=', 'j.item')
        .where('f.state', '=', 'stored')
        .returning(['f.sha256', 'j.size', 'j.rule', 'f.kind', 'f.parent', 'f.item']),
    )
    .selectFrom('marked')
    .select(({ fn }) => [
      sql<string>`encode(sha256, 'hex')`.as('sha256'),
      fn.max('size').as('size'),
      fn.countAll<number>().as('files'),
      fn.min('rule').$notNull().as('rule'),
      fn.agg<FilePlace[]>('json_agg', [PLACE]).as('places'),
    ])
    .groupBy('marked.sha256')
    .orderBy('marked.sha256')
    .execute()
  const due = rows.map(({ places: _places, ...content }) => content)
  return { due, files: rows.flatMap(({ places }) => places) }
}

/** Counts due files that stay, by hold; `hold` is null if only a shared content keeps them. */
export async function keptBy(
  db: Transaction,
  scope: RetentionScope,
): Promise<{ hold: string | null; files: number; bytes: number }[]> {
  return await judged(db, scope, storedContents(db, scope))
    .selectFrom('judged')
    .select(({ cast, fn }) => [
      'hold',
      fn.countAll<number>().as('files'),
      cast<number>(fn.sum('size'), 'float8').as('bytes'),
    ])
    .where('due', '=', true)
    .where('goes', '=', false)
    .groupBy('hold')
    .orderBy('hold', (order) => order.asc().nullsLast())
    .execute()
}

const PLACE = sql`json_build_object('kind', kind, 'parent', parent, 'item', item)`
