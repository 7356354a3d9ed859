import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'

/** An entry to be added to the manifest. */
export interface NewEntry {
  seq: number
  kind: string
  /** The subject as the line contains it: in clear, or as a commitment. */
  subject: string
  line: string
  /** The salt of the line's commitment to the content; null once an erasure has removed the salt. */
  salt: string | null
  /** The subject in clear, if the line contains only a commitment to it. */
  about: string | null
  /** The salt of that commitment. */
  about_salt: string | null
  /** The reason that the key signed together with the entry. */
  basis: string | null
  /** The key's signature of entry and reason. */
  word: string | null
}

/** Adds entries; salts and signatures (`word`) are in hex. */
export async function insertEntries(
  tx: Transaction,
  account: string,
  added: readonly NewEntry[],
): Promise<void> {
  const bytes = (name: 'salt' | 'about_salt' | 'word') =>
    sql<Buffer>`decode(${sql.id('e', name)}, 'hex')`.as(name)
  await tx
    .insertInto('callsheet.manifest')
    .columns(['account', ...COPIED, ...DECODED])
    .expression(({ selectFrom }) =>
      selectFrom(givenRows('e', added, TYPES)).select(({ val }) => [
        val(account).as('account'),
        ...COPIED.map((name) => `e.${name}` as const),
        ...DECODED.map(bytes),
      ]),
    )
    .execute()
}

const COPIED = ['seq', 'kind', 'subject', 'line', 'about', 'basis'] as const
const DECODED = ['salt', 'about_salt', 'word'] as const
const TYPES = {
  seq: 'bigint',
  kind: 'text',
  subject: 'text',
  line: 'text',
  salt: 'text',
  about: 'text',
  about_salt: 'text',
  basis: 'text',
  word: 'text',
} as const
