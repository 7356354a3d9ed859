import type { Block, Section, Table } from '../../src/core/define/report.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import { neverRead, note } from '../shared/blocks.ts'
import { byBytes, countDistinct, countWhere, rowCount, wordFor } from '../shared/expressions.ts'
import { listSection, orderedTable, tableColumns, tableOf } from '../shared/query.ts'
import { MOST_COLLABORATORS } from './boards.ts'
import { isPerson } from './person.ts'
import type { AuditSource } from './source.ts'

const ROLES = ['owner', 'co-owner', 'editor', 'commenter', 'viewer'] as const
const TYPES = ['of the account', 'from outside', 'channel'] as const

const BY_ROLE = tableColumns([
  { name: 'role_name', title: 'Role', format: 'text' },
  { name: 'entries', title: 'Collaborators', format: 'integer' },
  { name: 'inside', title: 'Of the account', format: 'integer' },
  { name: 'outside', title: 'From outside', format: 'integer' },
  { name: 'channels', title: 'Channels', format: 'integer' },
  { name: 'boards', title: 'Boards', format: 'integer' },
])
const EACH = tableColumns([
  { name: 'collaborator_name', title: 'Collaborator', format: 'text' },
  { name: 'role_name', title: 'Role', format: 'text' },
  { name: 'type_name', title: 'Type', format: 'text' },
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'in_use', title: 'Used in the period', format: 'boolean' },
  { name: 'email', title: 'E-mail', format: 'text' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
  { name: 'collaborator_id', title: 'Collaborator ID', format: 'text' },
])
const CAPPED = tableColumns([
  { name: 'whiteboard_name', title: 'Board', format: 'text' },
  { name: 'entries', title: 'Collaborators shown', format: 'integer' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
])

/** Shows with whom the boards are shared. */
export async function collaboratorsSection(source: AuditSource): Promise<Section> {
  const title = 'Collaborators'
  if (source.runId(whiteboardCollaborators) === undefined)
    return {
      title,
      blocks: [
        note('warning', neverRead('The collaborators of boards were', { job: 'whiteboards' })),
      ],
    }
  const lists = await readCapped(source)
  const cut = lists.length
  const blocks: Block[] = [
    note(
      'plain',
      'Everyone with whom a board is shared by name, whether or not the board was used in the ' +
        'period. Boards that were used come first.',
    ),
  ]
  if (cut > 0)
    blocks.push(
      note(
        'warning',
        `${counted(cut, 'list')} of collaborators may be incomplete: the service shows at most ` +
          `${MOST_COLLABORATORS} collaborators of a board.`,
      ),
      tableOf({ title: 'Lists that may be incomplete', columns: CAPPED, empty: 'None.' }, lists),
    )
  blocks.push(
    tableOf(
      { title: 'By role', columns: BY_ROLE, empty: 'No collaborators are known.' },
      await readRoles(source),
    ),
    eachTable(
      source,
      { title: 'Collaborators from outside', empty: 'There are none.' },
      collaborators(source).where('c.collaborator_type', '=', 1),
    ),
  )
  return { title, blocks }
}

export function allCollaboratorsSection(source: AuditSource): Section[] {
  if (source.runId(whiteboardCollaborators) === undefined) return []
  const table = { title: 'All collaborators', empty: 'There are none.' }
  return [listSection(eachTable(source, table))]
}

function eachTable(
  source: AuditSource,
  table: { title: string; empty: string },
  rows = collaborators(source),
): Table {
  const order = ['in_use desc', 'role', 'whiteboard_id', 'collaborator_id'] as const
  return orderedTable(source.db, { ...table, columns: EACH }, { rows, order })
}

function collaborators({ db, rows, params, person, period, sessions }: AuditSource) {
  const seen = db.selectFrom(sessions(period).as('s')).select('s.whiteboard_id')
  const all = db
    .selectFrom(rows(whiteboardCollaborators).as('c'))
    .leftJoin(rows(whiteboards).as('b'), 'b.whiteboard_id', 'c.whiteboard_id')
    .selectAll('c')
    .select('b.whiteboard_name')
    .select(({ eb, fn, lit, ref }) => [
      wordFor(ref('c.role'), ROLES).as('role_name'),
      wordFor(ref('c.collaborator_type'), TYPES).as('type_name'),
      fn.coalesce(eb('c.whiteboard_id', 'in', seen), lit(false)).as('in_use'),
    ])
    .where(({ ref }) => isPerson(ref('c.user_id'), ref('c.email'), person))
  return params.whiteboard === undefined
    ? all
    : all.where('c.whiteboard_id', '=', params.whiteboard)
}

function readRoles(source: AuditSource) {
  return source.db
    .selectFrom(collaborators(source).as('c'))
    .select(({ eb, fn, ref, val }) => [
      fn.coalesce('c.role_name', val('(not given)')).as('role_name'),
      rowCount.as('entries'),
      countWhere(eb('c.collaborator_type', '=', 0)).as('inside'),
      countWhere(eb('c.collaborator_type', '=', 1)).as('outside'),
      countWhere(eb('c.collaborator_type', '=', 2)).as('channels'),
      countDistinct(ref('c.whiteboard_id')).as('boards'),
    ])
    .groupBy(['c.role', 'c.role_name'])
    .orderBy('c.role', (order) => order.asc().nullsLast())
    .execute()
}

function readCapped(source: AuditSource) {
  return source.db
    .selectFrom(collaborators(source).as('c'))
    .select(({ fn, ref }) => [
      fn.max(byBytes(ref('c.whiteboard_name'))).as('whiteboard_name'),
      'c.whiteboard_id',
      rowCount.as('entries'),
    ])
    .groupBy('c.whiteboard_id')
    .having(({ fn }) => fn.countAll(), '>=', MOST_COLLABORATORS)
    .orderBy('c.whiteboard_id')
    .execute()
}
