import { type RawBuilder, sql } from 'kysely'
import { arrayText } from '../../warehouse/array-text.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

/** A subject that entries name by a commitment. */
export interface EntrySubject {
  subject: string
  /** The commitment, as it appears in lines. */
  named: string
  salt: Buffer
}

/** All subjects of an account. */
export function entrySubjects(tx: Transaction, account: string): AsyncGenerator<EntrySubject> {
  const query = tx
    .selectFrom('callsheet.manifest_subjects')
    .select(['named', 'subject', 'salt'])
    .where('account', '=', account)
    .orderBy('named')
  return cursorRows(tx, 'subjects of entries', query)
}

/** The subjects that entries have already named. */
export async function knownSubjects(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<{ subject: string; salt: Buffer }[]> {
  return await tx
    .selectFrom('callsheet.manifest_subjects')
    .select(['subject', 'salt'])
    .where('account', '=', account)
    .where('subject', '=', anyOf(subjects))
    .execute()
}

export async function insertSubjects(
  tx: Transaction,
  account: string,
  added: readonly EntrySubject[],
): Promise<void> {
  if (added.length === 0) return
  const subjects = arrayText(added.map(({ subject }) => subject))
  const names = arrayText(added.map(({ named }) => named))
  const salts = arrayText(added.map(({ salt }) => salt.toString('hex')))
  const rows = sql<{ subject: string; named: string; salt: string }>`unnest(
    ${subjects}::text[], ${names}::text[], ${salts}::text[])`
  await tx
    .insertInto('callsheet.manifest_subjects')
    .columns(['account', 'subject', 'named', 'salt'])
    .expression(({ selectFrom }) =>
      selectFrom(rows.as<'e'>(sql`e(subject, named, salt)`)).select(({ val }) => [
        val(account).as('account'),
        'e.subject',
        'e.named',
        sql<Buffer>`decode(e.salt, 'hex')`.as('salt'),
      ]),
    )
    .execute()
}

/** The commitments by which lines name these subjects. */
export async function commitmentsTo(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .selectFrom('callsheet.manifest_subjects')
    .select('named')
    .where('account', '=', account)
    .where('subject', '=', anyOf(subjects))
    .execute()
  return rows.map(({ named }) => named)
}

/** The names of a query's subjects in entry lines: the subjects themselves, and the commitments to them. */
export function namedAs(account: string, subjects: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`(
    with told as materialized (${subjects})
    table told
    union all
    select n.named from callsheet.manifest_subjects n
    where n.account = ${account} and n.subject in (table told))`
}
