import { sql } from 'kysely'
import { itemOf, parentOf } from '../../archive/sql/file-rows-sql.ts'
import { holdOnContent, oldestHold, storedBeside } from '../../archive/sql/holds.ts'
import type { FileKind, FileRows } from '../../core/define/file-source.ts'
import { fileSubject } from '../../evidence/sql/evidence-files.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { tableOf } from '../../warehouse/schema/table-sql.ts'

/** The name of a file in the ledger. */
export interface FileName {
  parent: string
  item: string
}

export interface NamedFiles {
  account: string
  kind: FileKind
  names: readonly FileName[]
}

/**
 * Returns other files of these parents with equal content, whose names no row has or had. A file may be
 * stored under an earlier name, and only the content leads to it.
 */
export async function formerNames(
  tx: Transaction,
  files: NamedFiles,
  rowsOfKind: readonly FileRows[],
): Promise<FileName[]> {
  const own = ledger(tx, files)
  return await tx
    .selectFrom(own.as('f'))
    .innerJoin('callsheet.files as o', (join) =>
      join
        .onRef('o.account', '=', 'f.account')
        .onRef('o.kind', '=', 'f.kind')
        .onRef('o.parent', '=', 'f.parent')
        .onRef('o.sha256', '=', 'f.sha256')
        .onRef('o.item', '<>', 'f.item'),
    )
    .select(['o.parent', 'o.item'])
    .distinct()
    .where(({ eb, exists, not, or, ref, selectFrom }) => {
      const tables = rowsOfKind.flatMap((rows) => [
        { rows, table: tableOf('svc', rows.stream) },
        { rows, table: tableOf('history', rows.stream) },
      ])
      const named = tables.map(({ rows, table }) =>
        exists(
          selectFrom(table.as('r'))
            .select('r.account')
            .whereRef('r.account', '=', 'o.account')
            .where(eb(parentOf(rows), '=', ref('o.parent')))
            .where(eb(itemOf(rows), '=', ref('o.item'))),
        ),
      )
      return not(or(named))
    })
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('o.parent', 'o.item'),
        'not in',
        tx.selectFrom(own.as('g')).select(['g.parent', 'g.item']).$asTuple('parent', 'item'),
      ),
    )
    .execute()
}

/** Returns the files that a hold covers, each with the name of the oldest hold. */
export async function heldFiles(
  tx: Transaction,
  files: NamedFiles,
): Promise<(FileName & { hold: string })[]> {
  const rows = await tx
    .selectFrom(ledger(tx, files).as('f'))
    .select([
      'f.parent',
      'f.item',
      oldestHold()
        .leftJoin('svc.whiteboard_sessions as s', (join) =>
          join.onRef('s.account', '=', 'f.account').onRef('s.id', '=', 'f.parent'),
        )
        .as('hold'),
    ])
    .where('f.state', 'in', ['stored', 'removed'])
    .execute()
  return rows.flatMap(({ hold, ...file }) => (hold === null ? [] : [{ ...file, hold }]))
}

/** Records stored files as removed, so that the next erasure completes one that is interrupted here. */
export async function markErased(tx: Transaction, files: NamedFiles): Promise<void> {
  await tx
    .updateTable('callsheet.files as u')
    .from(ledger(tx, files).as('f'))
    .set({ state: 'removed', state_at: now, reason: 'erased', bytes_gone_at: null })
    .where(isFile)
    .where('u.state', '=', 'stored')
    .execute()
}

/** A content whose bytes may still be in the store. */
export interface ErasedContent {
  sha256: string
  size: number
  /** The hold that preserves the bytes, because it covers another file with equal content. */
  hold: string | null
}

/** Returns the contents of removed files that may still be in the store and that no stored file has. */
export async function contentsToRemove(
  tx: Transaction,
  files: NamedFiles,
): Promise<ErasedContent[]> {
  const places = tx.selectFrom(ledger(tx, files).as('g')).select(['g.kind', 'g.parent', 'g.item'])
  const beside = {
    account: files.account,
    but: sql<boolean>`(o.kind, o.parent, o.item) in ${places}`,
  }
  return await tx
    .with('own', (db) =>
      db
        .selectFrom(ledger(tx, files).as('f'))
        .select(({ fn }) => ['f.sha256', fn.max('f.size').as('size')])
        .where('f.state', '=', 'removed')
        .where('f.bytes_gone_at', 'is', null)
        .groupBy('f.sha256'),
    )
    .selectFrom('own as f')
    .select(({ fn, ref, val }) => [
      fn<string>('encode', ['f.sha256', val('hex')]).as('sha256'),
      ref('f.size').$notNull().as('size'),
      holdOnContent(beside).as('hold'),
    ])
    .where(({ not }) => not(storedBeside(beside)))
    .execute()
}

/**
 * Deletes the files from the ledger, except files whose content stays: they remain recorded as removed, so
 * that a later prune removes their bytes. Returns the subjects of stored and removed files, and which stay.
 */
export async function forgetFiles(
  tx: Transaction,
  files: NamedFiles,
  staying: readonly string[],
): Promise<ForgottenFiles> {
  const goes = (alias: string) =>
    sql<boolean>`coalesce(encode(${sql.id(alias, 'sha256')}, 'hex'), '') <> all(${[...staying]}::text[])`
  const rows = await tx
    .selectFrom(ledger(tx, files).as('f'))
    .select([fileSubject.as('subject'), goes('f').as('goes')])
    .where('f.state', 'in', ['stored', 'removed'])
    .execute()
  await tx
    .deleteFrom('callsheet.files as u')
    .using(ledger(tx, files).as('f'))
    .where(isFile)
    .where(goes('u'))
    .execute()
  return {
    files: rows.map(({ subject }) => subject),
    staying: rows.flatMap((row) => (row.goes ? [] : [row.subject])),
  }
}

/** Subjects of files in the manifest. */
export interface ForgottenFiles {
  files: string[]
  /** The subjects of files that the ledger still names. */
  staying: string[]
}

/** Selects the ledger's rows of the files. */
function ledger(tx: Transaction, { account, kind, names }: NamedFiles) {
  return tx
    .selectFrom('callsheet.files as l')
    .innerJoin(givenRows('n', names, { parent: 'text', item: 'text' }), (join) =>
      join.onRef('l.parent', '=', 'n.parent').onRef('l.item', '=', 'n.item'),
    )
    .selectAll('l')
    .where('l.account', '=', account)
    .where('l.kind', '=', kind)
}

/** Whether `u` and `f` are the same file. */
const isFile = sql<boolean>`(u.account, u.kind, u.parent, u.item) = (f.account, f.kind, f.parent, f.item)`
