import { sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Transaction } from '../connection/connect.ts'
import { keysRelation } from '../connection/table-sql.ts'
import { subjectOf } from '../evidence/audited-records.ts'

/** What the manifest calls the records of these keys. */
export async function subjectsOfKeys(
  tx: Transaction,
  stream: Stream,
  keys: readonly (readonly string[])[],
): Promise<string[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ subject: string }>`
    with ${keysRelation(stream, keys)}
    select ${subjectOf(stream, 'k')} as subject from named k`.execute(tx)
  return rows.map(({ subject }) => subject)
}

/** Without its salt nobody can try whether an entry speaks of a content. */
export async function removeSalts(
  tx: Transaction,
  account: string,
  { subjects, kinds }: { subjects: readonly string[]; kinds: readonly string[] },
): Promise<void> {
  if (subjects.length === 0) return
  await sql`
    delete from callsheet.manifest_salts s using callsheet.manifest m
    where s.account = ${account} and m.account = s.account and m.seq = s.seq
      and m.subject = any(${[...subjects]}::text[]) and m.kind = any(${[...kinds]}::text[])`.execute(
    tx,
  )
}
