import { type RawBuilder, sql } from 'kysely'
import type { Block, Note, Section, TableColumn } from '../../src/core/declare/report.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import { cursorTable, namesOf, queryTable } from '../shared/query.ts'
import { MOST_COLLABORATORS } from './boards.ts'
import { wordFor } from './codes.ts'
import { isPerson } from './person.ts'
import type { AuditSource } from './source.ts'

const ROLES = ['owner', 'co-owner', 'editor', 'commenter', 'viewer'] as const
const TYPES = ['of the account', 'from outside', 'a channel'] as const

const BY_ROLE: readonly TableColumn[] = [
  { name: 'role_name', title: 'Role', format: 'text' },
  { name: 'entries', title: 'Collaborators', format: 'integer' },
  { name: 'inside', title: 'of the account', format: 'integer' },
  { name: 'outside', title: 'from outside', format: 'integer' },
  { name: 'channels', title: 'channels', format: 'integer' },
  { name: 'boards', title: 'Boards', format: 'integer' },
]
export const EACH: readonly TableColumn[] = [
  { name: 'collaborator_name', title: 'Collaborator', format: 'text' },
  { name: 'role_name', title: 'Role', format: 'text' },
  { name: 'type_name', title: 'Who', format: 'text' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'in_use', title: 'in use in the period', format: 'boolean' },
  { name: 'email', title: 'E-mail', format: 'text' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'collaborator_id', title: 'Collaborator ID', format: 'text' },
]
const CAPPED: readonly TableColumn[] = [
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'entries', title: 'Collaborators shown', format: 'integer' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
]

/** With whom the boards are shared. */
export async function collaboratorsSection(source: AuditSource): Promise<Section> {
  const note = (tone: Note['tone'], text: string): Note => ({ kind: 'note', tone, text })
  const title = 'Collaborators'
  if (source.runId(whiteboardCollaborators) === undefined)
    return { title, blocks: [note('warning', 'The boards’ collaborators were never read.')] }
  const capped = await queryTable(
    source.db,
    { title: 'Lists that may be cut', columns: CAPPED, empty: 'None.' },
    cappedQuery(source),
  )
  const cut = 'stream' in capped.rows ? 0 : capped.rows.length
  const blocks: Block[] = [
    note('plain', 'Everybody with whom a board is shared by name, in use in the period or not.'),
  ]
  if (cut > 0)
    blocks.push(
      note(
        'warning',
        `The service shows at most ${MOST_COLLABORATORS} collaborators of a board: ${cut} ` +
          `${cut === 1 ? 'list is' : 'lists are'} as long as that, so that more may exist.`,
      ),
      capped,
    )
  blocks.push(
    await queryTable(
      source.db,
      { title: 'By role', columns: BY_ROLE, empty: 'No collaborator is known.' },
      byRole(source),
    ),
    cursorTable(
      source.db,
      { title: 'Collaborators from outside', columns: EACH, empty: 'There is none.' },
      eachQuery(source, sql`c.collaborator_type = 1`),
    ),
  )
  return { title, blocks }
}

export function allCollaboratorsSection(source: AuditSource): Section[] {
  if (source.runId(whiteboardCollaborators) === undefined) return []
  const title = 'All collaborators'
  const table = { title, columns: EACH, empty: 'There is none.' }
  const rows = cursorTable(source.db, table, eachQuery(source, sql`true`))
  return [{ title, detail: true, blocks: [rows] }]
}

function collaborators(source: AuditSource): RawBuilder<unknown> {
  const { rows, params, person } = source
  const board =
    params.whiteboard === undefined ? sql`` : sql`and c.whiteboard_id = ${params.whiteboard}`
  return sql`(
    select c.*, b.whiteboard_name, ${wordFor(sql`c.role`, ROLES)} as role_name,
      ${wordFor(sql`c.collaborator_type`, TYPES)} as type_name,
      coalesce(c.whiteboard_id in (select whiteboard_id from ${source.sessions(source.period)} s), false)
        as in_use
    from ${rows(whiteboardCollaborators)} c
      left join ${rows(whiteboards)} b on b.whiteboard_id = c.whiteboard_id
    where ${isPerson(sql.id('c'), person)} ${board})`
}

function byRole(source: AuditSource): RawBuilder<unknown> {
  const ofType = (type: number) => sql`count(*) filter (where collaborator_type = ${type})::int`
  return sql`
    select coalesce(role_name, '(not given)') as role_name, count(*)::int as entries,
      ${ofType(0)} as inside, ${ofType(1)} as outside, ${ofType(2)} as channels,
      count(distinct whiteboard_id)::int as boards
    from ${collaborators(source)} c group by role, role_name order by role nulls last`
}

export function eachQuery(source: AuditSource, where: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${namesOf(EACH)} from ${collaborators(source)} c where ${where}
    order by in_use desc, role nulls last, whiteboard_id, collaborator_id`
}

function cappedQuery(source: AuditSource): RawBuilder<unknown> {
  return sql`
    select max(whiteboard_name collate "C") as whiteboard_name, whiteboard_id, count(*)::int as entries
    from ${collaborators(source)} c group by whiteboard_id
    having count(*) >= ${MOST_COLLABORATORS} order by whiteboard_id`
}
