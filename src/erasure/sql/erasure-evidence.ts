import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { subjectOf } from '../../evidence/sql/audited-records.ts'
import { toldSubject } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'
import { typedKeys } from '../../warehouse/schema/table-sql.ts'
import type { Database } from '../../warehouse/schema/types.ts'

/** Returns the subjects of the records with these keys in the manifest. */
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

/** Removes the salts of entries. Without its salt, an entry cannot be compared with a guessed content. */
export async function removeSalts(
  tx: Transaction,
  account: string,
  { subjects, kinds }: { subjects: readonly string[]; kinds: readonly Kind[] },
): Promise<void> {
  if (subjects.length === 0) return
  await tx
    .updateTable('callsheet.manifest as m')
    .set({ salt: null })
    .where('m.account', '=', account)
    .where(toldSubject, '=', anyOf(subjects))
    .where('m.kind', '=', anyOf(kinds))
    .where('m.salt', 'is not', null)
    .execute()
}

/**
 * Removes subjects whose entries, except erasures, all lack a salt. Afterwards nobody can determine what
 * these entries are about.
 */
export async function forgetSubjects(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length === 0) return
  await tx
    .updateTable('callsheet.manifest as m')
    .set({ about: null, about_salt: null })
    .where('m.account', '=', account)
    .where(toldSubject, '=', anyOf(subjects))
    .where('m.about', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('callsheet.manifest as other')
            .select('other.seq')
            .whereRef('other.account', '=', 'm.account')
            .whereRef(sql`coalesce(other.about, other.subject)`, '=', toldSubject)
            .where('other.salt', 'is not', null)
            .where('other.kind', '<>', 'erasure'),
        ),
      ),
    )
    .execute()
}
