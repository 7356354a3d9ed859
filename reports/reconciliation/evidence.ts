import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { section } from '../shared/blocks.ts'
import { checkpointState, hex } from '../shared/expressions.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { tableColumns, tableOf } from '../shared/query.ts'
import type { Source } from './source.ts'

/** A signed checkpoint over all log entries before it. */
export type SignedCheckpoint = Awaited<ReturnType<typeof readCheckpoints>>[number]

const COLUMNS = tableColumns([
  { name: 'size', title: 'Log size', format: 'integer' },
  { name: 'signed', title: 'Signed at', format: 'instant' },
  { name: 'entries', title: 'Entries added', format: 'integer' },
  { name: 'state', title: 'Size and root', format: 'text' },
  { name: 'key', title: 'Key fingerprint (start)', format: 'text' },
])

/** Reads the checkpoints that were signed on the day. */
export async function readCheckpoints({ db, account, period, timeZone }: Source) {
  return await db
    .selectFrom(({ selectFrom }) =>
      selectFrom('callsheet.checkpoints')
        .select(['size', 'note', 'key', 'at'])
        .select(
          sql<number>`(size - lag(size, 1, 0::bigint) over (order by size))::int`.as('entries'),
        )
        .where('account', '=', account)
        .as('c'),
    )
    .select(['c.size', 'c.entries'])
    .select(({ ref }) => [
      localInstant(ref('c.at'), timeZone).as('signed'),
      checkpointState(ref('c.note')).as('state'),
      sql<string>`left(${hex(sql<Buffer>`sha256(${ref('c.key')})`)}, ${PREFIX}::int)`.as('key'),
    ])
    .where('c.at', '>=', instantOf(period.fromMs))
    .where('c.at', '<', instantOf(period.toMs))
    .orderBy('c.size')
    .execute()
}

export function entriesOf(checkpoints: readonly SignedCheckpoint[]): number {
  return checkpoints.reduce((sum, { entries }) => sum + entries, 0)
}

/** Lists the checkpoints that were signed on the day. */
export function evidenceSection(checkpoints: readonly SignedCheckpoint[]): Section {
  const text =
    `${counted(checkpoints.length, 'checkpoint was', 'checkpoints were')} signed on this day, ` +
    `covering ${counted(entriesOf(checkpoints), 'new log entry', 'new log entries')}. A ` +
    'checkpoint is a signed statement about all log entries so far. "callsheet verify" checks ' +
    'it, and exports include it.'
  const empty = 'No checkpoint was signed on this day.'
  return section(
    'Evidence',
    text,
    tableOf({ title: 'Checkpoints of the day', columns: COLUMNS, empty }, checkpoints),
  )
}

const PREFIX = 16
