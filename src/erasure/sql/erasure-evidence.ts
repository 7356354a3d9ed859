import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { subjectOf } from '../../evidence/sql/audited-records.ts'
import { namedAs } from '../../evidence/sql/entry-subjects.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'
import { typedKeys } from '../../warehouse/schema/table-sql.ts'
import type { Database } from '../../warehouse/schema/types.ts'

/** The subjects of the records with these keys in the manifest. */
export async function subjectsOfKeys(
  tx: Transaction,
  stream: Stream,
  keys: readonly (readonly string[])[],
): Promise<string[]> {
  if (keys.length === 0) return []
  const rows = await tx
    .selectFrom(typedKeys(stream, keys).as('k'))
    .select(subjectOf(stream, 'k').as('subject'))
    .execute()
  return rows.map(({ subject }) => subject)
}

type Kind = Database['callsheet.manifest']['kind']

/** Removes the salts of entries. Without its salt an entry cannot be matched to a guessed content. */
export async function removeSalts(
  tx: Transaction,
  account: string,
  { subjects, kinds }: { subjects: readonly string[]; kinds: readonly Kind[] },
): Promise<void> {
  if (subjects.length === 0) return
  await tx
    .deleteFrom('callsheet.manifest_salts as s')
    .using('callsheet.manifest as m')
    .where('s.account', '=', account)
    .whereRef('m.account', '=', 's.account')
    .whereRef('m.seq', '=', 's.seq')
    .where('m.subject', 'in', namedAs(account, sql`select unnest(${[...subjects]}::text[])`))
    .where('m.kind', '=', anyOf(kinds))
    .execute()
}

/**
 * Removes the names of subjects of which no entry has a salt any more. After that nobody can find out what
 * their entries were about.
 */
export async function forgetSubjects(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length === 0) return
  await tx
    .deleteFrom('callsheet.manifest_subjects as n')
    .where('n.account', '=', account)
    .where('n.subject', '=', anyOf(subjects))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('callsheet.manifest as m')
            .innerJoin('callsheet.manifest_salts as s', (join) =>
              join.onRef('s.account', '=', 'm.account').onRef('s.seq', '=', 'm.seq'),
            )
            .select('m.seq')
            .whereRef('m.account', '=', 'n.account')
            .whereRef('m.subject', '=', 'n.named')
            .where('m.kind', '<>', 'erasure'),
        ),
      ),
    )
    .execute()
}
