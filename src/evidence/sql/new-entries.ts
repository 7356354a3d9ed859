import { sql } from 'kysely'
import { arrayText } from '../../warehouse/array-text.ts'
import type { Transaction } from '../../warehouse/connect.ts'

/** An entry to be added to the manifest. */
export interface NewEntry {
  seq: number
  kind: string
  subject: string
  line: string
  /** In hex. */
  hash: string
  /** In hex; null once an erasure has removed it. */
  salt: string | null
}

export async function insertEntries(
  tx: Transaction,
  account: string,
  added: readonly NewEntry[],
): Promise<void> {
  const column = (name: keyof NewEntry) => arrayText(added.map((entry) => entry[name]))
  const rows = sql<NewEntry>`unnest(${column('seq')}::bigint[], ${column('kind')}::text[],
    ${column('subject')}::text[], ${column('line')}::text[], ${column('hash')}::text[])`
  const salts = sql<NewEntry>`unnest(${column('seq')}::bigint[], ${column('salt')}::text[])`
  await tx
    .insertInto('callsheet.manifest')
    .columns(['account', 'seq', 'kind', 'subject', 'line', 'hash'])
    .expression(({ selectFrom }) =>
      selectFrom(rows.as<'e'>(sql`e(seq, kind, subject, line, hash)`)).select(({ val }) => [
        val(account).as('account'),
        ...(['e.seq', 'e.kind', 'e.subject', 'e.line'] as const),
        sql<Buffer>`decode(e.hash, 'hex')`.as('hash'),
      ]),
    )
    .execute()
  await tx
    .insertInto('callsheet.manifest_salts')
    .columns(['account', 'seq', 'salt'])
    .expression(({ selectFrom }) =>
      selectFrom(salts.as<'e'>(sql`e(seq, salt)`))
        .select(({ val }) => [
          val(account).as('account'),
          'e.seq',
          sql<Buffer>`decode(e.salt, 'hex')`.as('salt'),
        ])
        .where('e.salt', 'is not', null),
    )
    .execute()
}
