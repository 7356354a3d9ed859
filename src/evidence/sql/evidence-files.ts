import { type NotNull, type RawBuilder, sql } from 'kysely'
import type { FileKind } from '../../core/define/file-source.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { givenRows } from '../../warehouse/given-rows.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

/** A file of the ledger that was stored, and may have been removed since. */
export interface LedgerFile {
  kind: FileKind
  parent: string
  item: string
  subject: string
  state: 'stored' | 'removed'
  sha256: Buffer
  size: number
  /** The time when it entered this state. */
  state_at: string
}

export type FilePlace = Pick<LedgerFile, 'kind' | 'parent' | 'item'>

/** The next files after `after` whose last entry is not known to match the ledger. */
export async function filesInDoubt(
  tx: Transaction,
  account: string,
  { after, limit }: { after: FilePlace | undefined; limit: number },
): Promise<LedgerFile[]> {
  return await tx
    .selectFrom(ledgerFiles(tx, account).where('f.entered', '=', false).as('f'))
    .selectAll()
    .where(({ eb, lit, refTuple, tuple }) => {
      if (after === undefined) return lit(true)
      const place = tuple(after.kind, after.parent, after.item)
      return eb(refTuple('f.kind', 'f.parent', 'f.item'), '>', place)
    })
    .orderBy('f.kind')
    .orderBy('f.parent')
    .orderBy('f.item')
    .limit(limit)
    .execute()
}

/** The files at these places that are stored or removed. */
export async function filesAt(
  tx: Transaction,
  account: string,
  places: readonly FilePlace[],
): Promise<LedgerFile[]> {
  return await tx
    .selectFrom(ledgerFiles(tx, account).as('f'))
    .selectAll()
    .where(({ eb, refTuple, selectFrom }) => {
      const named = selectFrom(placeRows(places)).select(['e.kind', 'e.parent', 'e.item'])
      return eb(
        refTuple('f.kind', 'f.parent', 'f.item'),
        'in',
        named.$asTuple('kind', 'parent', 'item'),
      )
    })
    .execute()
}

/** Marks files whose last entry matches the ledger. */
export async function markEntered(
  tx: Transaction,
  account: string,
  files: readonly FilePlace[],
): Promise<void> {
  await tx
    .updateTable('callsheet.files as f')
    .from(placeRows(files))
    .set({ entered: true })
    .where('f.account', '=', account)
    .whereRef('f.kind', '=', 'e.kind')
    .whereRef('f.parent', '=', 'e.parent')
    .whereRef('f.item', '=', 'e.item')
    .execute()
}

function placeRows(files: readonly FilePlace[]) {
  return givenRows('e', files, { kind: 'text', parent: 'text', item: 'text' })
}

/** The stored and removed files of a kind, ordered by subject. */
export function filesBySubject(
  tx: Transaction,
  account: string,
  kind: FileKind,
): AsyncGenerator<LedgerFile> {
  const query = ledgerFiles(tx, account).where('f.kind', '=', kind).orderBy('subject')
  return cursorRows(tx, `files of ${kind}`, query)
}

export async function filesOf(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<LedgerFile[]> {
  return await tx
    .selectFrom(ledgerFiles(tx, account).as('f'))
    .selectAll()
    .where('f.subject', '=', anyOf(subjects))
    .execute()
}

/** The subject of a file `f` in the manifest; it begins with the name of the files' stream. */
export const fileSubject: RawBuilder<string> = sql`((case f.kind
  when 'activity' then 'whiteboard_activities' else 'recording_files' end) || '/'
  || callsheet.subject_part(f.parent) || '/' || callsheet.subject_part(f.item)) collate "C"`

function ledgerFiles(tx: Transaction, account: string) {
  return tx
    .selectFrom('callsheet.files as f')
    .select(['f.kind', 'f.parent', 'f.item', 'f.state', 'f.state_at', 'f.sha256', 'f.size'])
    .select(fileSubject.as('subject'))
    .where('f.account', '=', account)
    .where('f.state', 'in', ['stored', 'removed'])
    .$narrowType<{ state: 'stored' | 'removed'; sha256: NotNull; size: NotNull }>()
}
