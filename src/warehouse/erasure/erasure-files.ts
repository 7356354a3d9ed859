import { type RawBuilder, sql } from 'kysely'
import type { FileKind, FileRows } from '../../core/declare/file-source.ts'
import { holdOnContent, storedBeside } from '../archive/content-stays.ts'
import { fileSubject } from '../archive/evidence-files.ts'
import { itemOf, parentOf } from '../archive/file-rows-sql.ts'
import { covers, holdsNow } from '../archive/holds.ts'
import type { Transaction } from '../connection/connect.ts'

/** A file by its place in the ledger. */
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
 * What lies by other names of the same parents and has the same contents, where no row has that name, now or
 * before: one file may be stored by the name that its key was made of once, too, and none would come to it
 * but by its content.
 */
export async function formerNames(
  tx: Transaction,
  files: NamedFiles,
  rowsOfKind: readonly FileRows[],
): Promise<FileName[]> {
  const named = rowsOfKind.flatMap((rows) =>
    ['svc', 'history'].map(
      (schema) => sql`exists (select from ${sql.id(schema, rows.stream.name)} r
        where r.account = o.account and ${parentOf(rows)} = o.parent and ${itemOf(rows)} = o.item)`,
    ),
  )
  const { rows } = await sql<FileName>`
    select distinct o.parent, o.item from ${ledger(files)}
      join callsheet.files o on o.account = f.account and o.kind = f.kind and o.parent = f.parent
        and o.sha256 = f.sha256 and o.item <> f.item
    where not (${sql.join([sql`false`, ...named], sql` or `)})
      and (o.parent, o.item) not in (select g.parent, g.item from ${ledger(files, 'g')})`.execute(
    tx,
  )
  return rows
}

/** Those of the files that a hold covers, with the oldest hold's name. */
export async function heldFiles(
  tx: Transaction,
  files: NamedFiles,
): Promise<(FileName & { hold: string })[]> {
  const { rows } = await sql<FileName & { hold: string }>`
    select f.parent, f.item, (select h.name from callsheet.holds h
        left join svc.whiteboard_sessions s on s.account = f.account and s.id = f.parent
        where h.account = f.account and ${holdsNow()} and ${covers()} order by h.id limit 1) as hold
    from ${ledger(files)} where f.state in ('stored', 'removed')`.execute(tx)
  return rows.filter(({ hold }) => hold !== null)
}

/** Enters stored files as removed, so that an erasure that is cut off here is completed by the next. */
export async function markErased(tx: Transaction, files: NamedFiles): Promise<void> {
  await sql`
    update callsheet.files u set state = 'removed', state_at = callsheet.clock(), reason = 'erased',
      bytes_gone_at = null
    from ${ledger(files)}
    where u.account = f.account and u.kind = f.kind and u.parent = f.parent and u.item = f.item
      and u.state = 'stored'`.execute(tx)
}

/** A content that may still lie in the store. */
export interface ErasedContent {
  sha256: string
  size: number
  /** The hold for which its bytes stay, as it covers another file that has them. */
  hold: string | null
}

/**
 * The contents of these files that may still lie in the store and that no other stored file has; with `all`
 * also of files that are not entered as removed yet.
 */
export async function contentsToTake(
  tx: Transaction,
  files: NamedFiles,
  { all }: { all: boolean },
): Promise<ErasedContent[]> {
  const own = sql<boolean>`(o.kind, o.parent, o.item) in (
    select g.kind, g.parent, g.item from ${ledger(files, 'g')})`
  const beside = { account: files.account, but: own }
  const { rows } = await sql<ErasedContent>`
    with own as (
      select f.sha256, max(f.size)::float8 as size from ${ledger(files)}
      where (f.state = 'removed' or (${all} and f.state = 'stored')) and f.bytes_gone_at is null
      group by f.sha256)
    select encode(f.sha256, 'hex') as sha256, f.size, ${holdOnContent(beside)} as hold
    from own f where not ${storedBeside(beside)}`.execute(tx)
  return rows
}

/**
 * Forgets the files; but those of contents that stay are left entered as removed, so that a prune takes their
 * bytes once it may. Answers what the manifest calls them all.
 */
export async function forgetFiles(
  tx: Transaction,
  files: NamedFiles,
  staying: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    select ${fileSubject} as subject from ${ledger(files)} where f.state in ('stored', 'removed')`.execute(
    tx,
  )
  await sql`
    delete from callsheet.files u using ${ledger(files)}
    where u.account = f.account and u.kind = f.kind and u.parent = f.parent and u.item = f.item
      and coalesce(encode(u.sha256, 'hex'), '') <> all(${[...staying]}::text[])`.execute(tx)
  return rows.map(({ subject }) => subject)
}

function ledger({ account, kind, names }: NamedFiles, alias = 'f'): RawBuilder<unknown> {
  return sql`(select l.* from callsheet.files l
    join unnest(${names.map(({ parent }) => parent)}::text[], ${names.map(({ item }) => item)}::text[])
      as n(parent, item) on l.parent = n.parent and l.item = n.item
    where l.account = ${account} and l.kind = ${kind}) ${sql.id(alias)}`
}
