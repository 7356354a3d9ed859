import { type RawBuilder, sql } from 'kysely'
import { arrayText } from '../connection/array-text.ts'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'

/** A file of the ledger that was stored, and may have been removed since. */
export interface LedgerFile {
  kind: string
  parent: string
  item: string
  subject: string
  state: 'stored' | 'removed'
  sha256: Buffer
  size: number
  /** Since when it is in this state. */
  state_at: string
}

export type FilePlace = Pick<LedgerFile, 'kind' | 'parent' | 'item'>

/** The next files after one, of those whose last entry is not known to say what the ledger says of them. */
export async function filesInDoubt(
  tx: Transaction,
  account: string,
  { after, limit }: { after: FilePlace | undefined; limit: number },
): Promise<LedgerFile[]> {
  const later =
    after === undefined
      ? sql`true`
      : sql`(f.kind, f.parent, f.item) > (${after.kind}, ${after.parent}, ${after.item})`
  const { rows } = await sql<LedgerFile>`${ledgerFiles(account)} and not f.entered and ${later}
    order by f.kind, f.parent, f.item limit ${limit}`.execute(tx)
  return rows
}

/** Those of the named files that are stored or removed. */
export async function filesAt(
  tx: Transaction,
  account: string,
  places: readonly FilePlace[],
): Promise<LedgerFile[]> {
  const column = (name: keyof FilePlace): unknown => arrayText(places.map((place) => place[name]))
  const { rows } = await sql<LedgerFile>`${ledgerFiles(account)}
    and (f.kind, f.parent, f.item) in (select * from unnest(${column('kind')}::text[],
      ${column('parent')}::text[], ${column('item')}::text[]))`.execute(tx)
  return rows
}

/** From now on it is known that the last entry of each says what the ledger says of it. */
export async function markEntered(
  tx: Transaction,
  account: string,
  files: readonly FilePlace[],
): Promise<void> {
  const column = (name: keyof FilePlace): unknown => arrayText(files.map((file) => file[name]))
  await sql`
    update callsheet.files f set entered = true
    from unnest(${column('kind')}::text[], ${column('parent')}::text[], ${column('item')}::text[])
      as e(kind, parent, item)
    where f.account = ${account} and f.kind = e.kind and f.parent = e.parent
      and f.item = e.item`.execute(tx)
}

/** All of a kind by subject. */
export function filesBySubject(
  tx: Transaction,
  account: string,
  kind: 'activity' | 'recording',
): AsyncGenerator<LedgerFile> {
  const query = sql<LedgerFile>`
    select * from (${ledgerFiles(account)}) f where kind = ${kind} order by subject`
  return cursorRows(tx, `files of ${kind}`, query)
}

/** What the ledger says of some subjects. */
export async function filesOf(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<LedgerFile[]> {
  const { rows } = await sql<LedgerFile>`
    select * from (${ledgerFiles(account)}) f where subject = any(${[...subjects]}::text[])`.execute(
    tx,
  )
  return rows
}

/** A content whose bytes may lie in the store: of a stored file, or of removed ones alone. */
export interface KeptContent {
  sha256: Buffer
  size: number
  stored: boolean
}

/**
 * The contents after one, in the order of their digests: of what is stored, and of what is entered as removed
 * while a hold, the store's lock or a prune that was cut off keeps the bytes.
 */
export async function keptContents(
  tx: Transaction,
  account: string,
  { after, limit }: { after: Buffer; limit: number },
): Promise<KeptContent[]> {
  const { rows } = await sql<KeptContent>`
    select sha256, min(size)::bigint as size, bool_or(state = 'stored') as stored
    from callsheet.files f where account = ${account} and ${mayLie} and sha256 > ${after}
    group by sha256 order by sha256 limit ${limit}`.execute(tx)
  return rows
}

/** The subjects whose bytes have a digest, a few of them: of stored files alone, or of removed ones too. */
export async function subjectsOf(
  tx: Transaction,
  account: string,
  { sha256, stored }: { sha256: Buffer; stored: boolean },
): Promise<string[]> {
  const states = stored ? sql`f.state = 'stored'` : mayLie
  const { rows } = await sql<{ subject: string }>`
    select ${fileSubject} as subject from callsheet.files f
    where f.account = ${account} and f.sha256 = ${sha256} and ${states}
    order by subject limit 3`.execute(tx)
  return rows.map(({ subject }) => subject)
}

/** Which of the digests, in hex, are of contents whose bytes may lie in the store by what the ledger says. */
export async function mayLieThere(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ sha256: string }>`
    select distinct encode(f.sha256, 'hex') as sha256 from callsheet.files f
    where f.account = ${account} and ${mayLie} and f.sha256 in (
      select decode(digest, 'hex') from unnest(${[...digests]}::text[]) as digest)`.execute(tx)
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** Which of the digests, in hex, are of files that are all entered as removed. */
export async function removedContents(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    select encode(f.sha256, 'hex') as sha256 from callsheet.files f
    where f.account = ${account} and f.sha256 in (
      select decode(digest, 'hex') from unnest(${[...digests]}::text[]) as digest)
    group by f.sha256 having bool_and(f.state = 'removed')`.execute(tx)
  return rows.map(({ sha256 }) => sha256)
}

/** What the manifest calls a file `f`: the same kinds as the streams that the files belong to. */
export const fileSubject: RawBuilder<string> = sql`((case f.kind
  when 'activity' then 'whiteboard_activities' else 'recording_files' end) || '/'
  || callsheet.subject_part(f.parent) || '/' || callsheet.subject_part(f.item)) collate "C"`

/** Of a file `f`. What was removed has its bytes until a prune enters that they are gone. */
const mayLie: RawBuilder<boolean> = sql`(f.state = 'stored'
  or (f.state = 'removed' and f.bytes_gone_at is null))`

function ledgerFiles(account: string): RawBuilder<unknown> {
  return sql`
    select f.kind, f.parent, f.item, f.state, f.sha256, f.size, f.state_at, ${fileSubject} as subject
    from callsheet.files f
    where f.account = ${account} and f.state in ('stored', 'removed')`
}
