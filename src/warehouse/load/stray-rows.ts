import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'
import { sameKey } from '../connection/table-sql.ts'
import { subjectOf } from '../evidence/audited-records.ts'

/** A record that lies where the manifest cannot be held against it, or where nobody sees it. */
export interface StrayRecord {
  subject: string
  /** False where there are no bytes to compare with an entry: nothing of the service came so. */
  proven: boolean
  found: string
}

interface OfStream {
  account: string
  stream: Stream
}

/** The strays of an audited stream by subject, of each the worst. */
export function strayRecords(
  tx: Transaction,
  { account, stream }: OfStream,
): AsyncGenerator<StrayRecord> {
  const [svc, history] = [sql.id('svc', stream.name), sql.id('history', stream.name)]
  const from = (proven: boolean, found: string, rows: RawBuilder<unknown>) => sql`
    select ${subjectOf(stream, 't')} as subject, ${proven}::boolean as proven, ${found}::text as found
    from ${rows} and t.account = ${account}`
  const version = sql`select 1 from ${history} h where h.account = t.account
    and ${sameKey(stream, 'h', 't')} and h._end = 'deleted' and h._bytes is not distinct from t._bytes`
  const lost = stream.deletions.by === 'never' ? sql`true` : sql`not exists (${version})`
  const current = sql`select 1 from ${svc} s where s.account = t.account and ${sameKey(stream, 's', 't')}`
  const query = sql<StrayRecord>`
    select distinct on (subject) subject, proven, found from (
      ${from(false, 'a row without them', sql`${svc} t where t._bytes is null`)}
      union all ${from(false, 'a version without them', sql`${history} t where t._bytes is null`)}
      union all ${from(true, MARKED, sql`${svc} t where t._deleted_at is not null and ${lost}`)}
      union all ${from(true, BEFORE, sql`${history} t where not exists (${current})`)}) found
    order by subject, proven, found`
  return cursorRows(tx, `strays of ${stream.name}`, query)
}

/** The parents, by what the manifest calls them, of rows that are cut from a record which is not there. */
export async function orphanedParts(
  tx: Transaction,
  { account, stream, parent }: OfStream & { parent: Stream },
): Promise<string[]> {
  // What is cut from a record has the record's key, of one part, before its own.
  const [own, theirs] = [sql.id('c', stream.key[0] as string), sql.id(parent.key[0] as string)]
  const { rows } = await sql<{ subject: string }>`
    select distinct ${subjectOf(parent, 'k')} as subject from (
      select ${own} as ${theirs} from ${sql.id('svc', stream.name)} c
      where c.account = ${account} and c._deleted_at is null and not exists (
        select 1 from ${sql.id('svc', parent.name)} p where p.account = c.account and p.${theirs} = ${own})) k
    order by subject`.execute(tx)
  return rows.map(({ subject }) => subject)
}

/** How many records are marked as gone at the service. */
export async function countDeleted(
  tx: Transaction,
  { account, stream }: OfStream,
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    select count(*)::int as deleted from ${sql.id('svc', stream.name)}
    where account = ${account} and _deleted_at is not null`.execute(tx)
  return rows[0]?.deleted ?? 0
}

const MARKED = 'it is marked as deleted, though the service was never seen to take it'
const BEFORE = 'it lies among earlier versions alone'
