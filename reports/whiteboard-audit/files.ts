import { sql } from 'kysely'
import type { Block, Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { figures, note } from '../shared/blocks.ts'
import { hex } from '../shared/expressions.ts'
import { localInstant } from '../shared/local-time.ts'
import { orderedTable, queryRows, tableColumns, tableOf } from '../shared/query.ts'
import { asFarAsRead } from './as-far-as-read.ts'
import type { Totals } from './facts.ts'
import type { AuditSource } from './source.ts'

const BY_STATE: readonly TableColumn[] = [
  { name: 'file_state', title: 'State', format: 'text', tint: 'state' },
  { name: 'reason', title: 'Reason', format: 'text' },
  { name: 'files', title: 'Files', format: 'integer' },
  { name: 'share', title: 'Share', format: 'percent' },
  { name: 'bytes', title: 'Bytes', format: 'integer' },
  { name: 'first_deadline', title: 'First deadline', format: 'instant' },
  { name: 'last_deadline', title: 'Last deadline', format: 'instant' },
]
const NOT_STORED = tableColumns([
  { name: 'expires', title: 'Archive expires', format: 'instant' },
  { name: 'file_state', title: 'State', format: 'text', tint: 'state' },
  { name: 'file_reason', title: 'Reason', format: 'text' },
  { name: 'since', title: 'Since', format: 'instant' },
  { name: 'sha256', title: 'SHA-256', format: 'text' },
  { name: 'file_size', title: 'Bytes', format: 'integer' },
  { name: 'time', title: 'Activity at', format: 'instant' },
  { name: 'type', title: 'Type', format: 'text' },
  { name: 'collaborator_name', title: 'Person', format: 'text' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'session_id', title: 'Session ID', format: 'text' },
  { name: 'id', title: 'Activity ID', format: 'text' },
])

/** Shows the files by state with reasons and deadlines, and lists those that are not stored. */
export async function filesSection(
  source: AuditSource,
  { now, asOf }: { now: Totals; asOf: string },
): Promise<Section> {
  const title = 'Files'
  const { pending, overdue, due_soon: dueSoon } = now
  const text =
    `The file of each activity by state, ${asOf}. A file that is not in the ledger yet is ` +
    'pending. “No file” means that the service never offered one, so nothing was lost. The ' +
    'sheet All activities shows each file’s hash, size and deadline.'
  const blocks: Block[] = [
    note('plain', text),
    figures('Pending files', {
      'Past their deadline': overdue,
      'Expire within 7 days': dueSoon,
      'Expire later': pending - overdue - dueSoon,
    }),
    await stateTable(source),
    notStored(source),
  ]
  return { title, blocks }
}

/**
 * Groups files by state and reason. Merges rare reasons. Leaves out the tracking number in a reason, which
 * differs in each refusal. Raw SQL, because it ranks groups and groups the result.
 */
async function stateTable(source: AuditSource): Promise<Table> {
  const { db, activities, period, timeZone } = source
  const empty = asFarAsRead(source, 'There are no activities.')
  const reason = sql`regexp_replace(coalesce(file_reason, ''), ' *\\(x-svc-trackingid [^)]*\\)', '', 'g')`
  const rows = await queryRows(
    db,
    sql`
    with reasons as (
      select file_state, ${reason} as reason, count(*) as files, sum(file_size) as bytes,
        min(deadline) as first, max(deadline) as last
      from ${activities(period)} a group by 1, 2),
    ranked as (
      select *, least(${MOST_REASONS + 1}, row_number()
        over (partition by file_state order by files desc, reason collate "C")) as place
      from reasons)
    select file_state, case count(*) when 1 then min(reason) else count(*) || ' other reasons' end as reason,
      sum(files)::int as files, sum(files)::float8 / sum(sum(files)) over () as share,
      sum(bytes)::bigint as bytes, ${localInstant(sql`min(first)`, timeZone)} as first_deadline,
      ${localInstant(sql`max(last)`, timeZone)} as last_deadline
    from ranked group by file_state, place
    order by array_position(array['expired', 'missing', 'pending', 'removed', 'no file', 'stored'],
      file_state), place`,
  )
  return tableOf({ title: 'By state', columns: BY_STATE, empty }, rows)
}

/** The number of reasons per state that are shown separately. */
const MOST_REASONS = 20

/** Lists files that are not stored: lost, pending (by deadline), removed, and those never offered. */
function notStored(source: AuditSource): Table {
  const { db, activities, period, timeZone } = source
  const rows = db
    .selectFrom(activities(period).as('a'))
    .selectAll('a')
    .select(({ ref }) => [
      localInstant(ref('a.deadline'), timeZone).as('expires'),
      localInstant(ref('a.file_since'), timeZone).as('since'),
      localInstant(ref('a.at'), timeZone).as('time'),
      hex(ref('a.file_sha256')).as('sha256'),
    ])
    .where('a.file_state', '<>', 'stored')
  const state = sql`array_position(array['pending', 'removed', 'no file'], x.file_state)`
  const empty = asFarAsRead(source, 'Every file is stored.')
  const table = { title: 'Not stored', columns: NOT_STORED, empty }
  const order = ['lost desc', state, 'deadline', 'session_id', 'id'] as const
  return orderedTable(db, table, { rows, order })
}
