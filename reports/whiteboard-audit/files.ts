import { sql } from 'kysely'
import type { Block, Figure, Section, TableColumn } from '../../src/core/report.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { cursorTable, namesOf, queryTable } from '../shared/query.ts'
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
const NOT_STORED: readonly TableColumn[] = [
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
]

/** Where the files stand: what is safe, what was lost and why, and what must be fetched until when. */
export async function filesSection(
  source: AuditSource,
  { now, asOf }: { now: Totals; asOf: string },
): Promise<Section> {
  const title = 'Files'
  const text =
    `One file an activity, by the ledger of files, ${asOf}; a file without an entry is pending. ` +
    'Each stored file’s hash, size and deadline stand beside its activity, on the sheet All activities.'
  const blocks: Block[] = [
    { kind: 'note', tone: 'plain', text },
    { kind: 'figures', title: 'Still to be fetched', figures: dueFigures(now) },
    await stateTable(source),
    notStored(source),
  ]
  return { title, blocks }
}

function dueFigures({ pending, overdue, due_soon }: Totals): Figure[] {
  const figure = (label: string, value: number): Figure => ({ label, value, format: 'integer' })
  return [
    figure('Past their deadline', overdue),
    figure('Expire within 7 days', due_soon),
    figure('Expire later', pending - overdue - due_soon),
  ]
}

function stateTable({ db, activities, period, timeZone }: AuditSource) {
  const table = { title: 'By state', columns: BY_STATE, empty: 'There is no activity.' }
  return queryTable(
    db,
    table,
    sql`
    select file_state, coalesce(file_reason, '') as reason, count(*)::int as files,
      count(*)::float8 / sum(count(*)) over () as share, sum(file_size)::bigint as bytes,
      ${localInstant(sql`min(deadline)`, timeZone)} as first_deadline,
      ${localInstant(sql`max(deadline)`, timeZone)} as last_deadline
    from ${activities(period)} a group by 1, 2
    order by array_position(array['expired', 'missing', 'refused', 'pending', 'removed', 'stored'],
      file_state), files desc, min(file_reason collate "C") limit 200`,
  )
}

/** What is lost comes first, then what must be fetched soonest. */
function notStored({ db, activities, period, timeZone, asOfMs }: AuditSource) {
  const query = sql`
    select ${namesOf(NOT_STORED)} from (
      select a.*, ${localInstant(sql`deadline`, timeZone)} as expires,
        ${localInstant(sql`file_since`, timeZone)} as since, ${localInstant(sql`at`, timeZone)} as time,
        encode(file_sha256, 'hex') as sha256
      from ${activities(period)} a where file_state <> 'stored') a
    order by file_state in ('pending', 'removed') and deadline > ${instantOf(asOfMs)}, deadline,
      session_id, id`
  const title = 'Not stored'
  return cursorTable(db, { title, columns: NOT_STORED, empty: 'Every file is stored.' }, query)
}
