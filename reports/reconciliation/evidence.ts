import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import { hex } from '../shared/expressions.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { tableColumns, tableOf } from '../shared/query.ts'
import { grouped } from '../shared/words.ts'
import type { Source } from './source.ts'

/** A signed statement over all entries so far. */
export type SignedHead = Awaited<ReturnType<typeof readHeads>>[number]

const COLUMNS = tableColumns([
  { name: 'number', title: 'Head', format: 'integer' },
  { name: 'signed', title: 'Signed at', format: 'instant' },
  { name: 'first_seq', title: 'First new entry', format: 'integer' },
  { name: 'last_seq', title: 'Last entry', format: 'integer' },
  { name: 'entries', title: 'Entries added', format: 'integer' },
  { name: 'digest', title: 'SHA-256 begins', format: 'text' },
  { name: 'key', title: 'Key’s fingerprint begins', format: 'text' },
])

/** Reads the heads that were signed on the day. */
export async function readHeads({ db, account, period, timeZone }: Source) {
  const prefix = (digest: ReturnType<typeof hex<Buffer>>) =>
    sql<string>`left(${digest}, ${PREFIX}::int)`
  return await db
    .selectFrom('callsheet.heads')
    .select(['number', 'first_seq', 'last_seq'])
    .select(({ ref }) => [
      localInstant(ref('signed_at'), timeZone).as('signed'),
      sql<number>`(last_seq - first_seq + 1)::int`.as('entries'),
      prefix(hex(ref('hash'))).as('digest'),
      prefix(hex(sql<Buffer>`sha256(${ref('public_key')})`)).as('key'),
    ])
    .where('account', '=', account)
    .where('signed_at', '>=', instantOf(period.fromMs))
    .where('signed_at', '<', instantOf(period.toMs))
    .orderBy('number')
    .execute()
}

export function entriesOf(heads: readonly SignedHead[]): number {
  return heads.reduce((sum, { entries }) => sum + entries, 0)
}

/** Lists the heads that cover the day’s entries. */
export function evidenceSection(heads: readonly SignedHead[]): Section {
  const text =
    `${grouped(entriesOf(heads))} entries were added on the day, in ${grouped(heads.length)} signed ` +
    `${heads.length === 1 ? 'head' : 'heads'}. A head is a signed statement over all entries so far: ` +
    '“callsheet verify” checks it, and an export has it.'
  const empty = 'No head was signed on this day.'
  return section(
    'Evidence',
    text,
    tableOf({ title: 'Heads of the day', columns: COLUMNS, empty }, heads),
  )
}

const PREFIX = 16
