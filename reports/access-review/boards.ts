import { sql } from 'kysely'
import type { Note, Section } from '../../src/core/define/report.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import { finding, section } from '../shared/blocks.ts'
import { countWhere, rowCount, sum } from '../shared/expressions.ts'
import { orderedTable, queryRows, tableColumns } from '../shared/query.ts'
import { MOST_COLLABORATORS } from '../whiteboard-audit/boards.ts'
import type { AccessSource } from './source.ts'

export interface Exposed {
  boards: number
  open: number
  editable: number
  /** Boards with collaborators from outside. */
  shared: number
  /** Boards whose link scope is unknown. */
  unknown: number
  /** Boards whose owner the service does not report. */
  ownerless: number
}

export async function readExposed({ db, boards }: AccessSource): Promise<Exposed> {
  const [row = {}] = await queryRows(
    db,
    sql`select ${rowCount} as boards, ${countWhere(sql`open`)} as open,
      ${countWhere(sql`open and link_role = 'editor'`)} as editable,
      ${countWhere(sql`outsiders > 0`)} as shared, ${countWhere(sql`not scope_known`)} as unknown,
      ${countWhere(sql`owner_id is null`)} as ownerless
    from ${boards} b`,
  )
  const of = (name: keyof Exposed): number => Number(row[name] ?? 0)
  return {
    boards: of('boards'),
    open: of('open'),
    editable: of('editable'),
    shared: of('shared'),
    unknown: of('unknown'),
    ownerless: of('ownerless'),
  }
}

/** Says how many boards anyone can open, and what to do. */
export function openFinding({ coverage }: AccessSource, exposed: Exposed): Note {
  const { open, editable, unknown } = exposed
  if (open === 0) {
    const text = 'no board is open to anyone with the link'
    if (!coverage.whole) return finding(`As far as data was read, ${text}.`, 'plain')
    const rest = unknown === 0 ? '' : `; of ${counted(unknown, 'board')} the link access is unknown`
    return finding(`N${text.slice(1)}${rest}.`, unknown === 0 ? 'good' : 'plain')
  }
  const edit = editable === 0 ? '' : `, ${grouped(editable)} of them for editing`
  const boards = counted(open, 'board is', 'boards are')
  return {
    ...finding(`${boards} open to anyone with the link${edit}: restrict the links.`),
    link: OPEN,
  }
}

/** Lists boards that reach outside the account, and their owners. */
export function boardSections(source: AccessSource): Section[] {
  const { db, boards, coverage } = source
  const all = db.selectFrom(boards.as('b')).selectAll('b')
  const none = (text: string) => (coverage.whole ? text : `As far as data was read: ${text}`)
  const open = orderedTable(
    db,
    { title: OPEN, columns: OPEN_COLUMNS, empty: none('No board is open to anyone.') },
    {
      rows: all.where('b.open', '=', true),
      order: [sql`(x.link_role = 'editor') is true desc`, 'outsiders desc', 'whiteboard_id'],
    },
  )
  const shared = orderedTable(
    db,
    { title: SHARED, columns: SHARED_COLUMNS, empty: none('No board is shared with outsiders.') },
    { rows: all.where('b.outsiders', '>', 0), order: ['outsiders desc', 'whiteboard_id'] },
  )
  return [
    section(
      OPEN,
      'Boards that anyone with the link can open, without signing in; those that they can edit ' +
        'come first. The owner can restrict the link. Boards in the trash are left out.',
      open,
    ),
    section(
      SHARED,
      'Boards on which people from outside the account are collaborators; those with the most ' +
        'come first. The service gives outsiders a name, but no address. It shows at most ' +
        `${grouped(MOST_COLLABORATORS)} collaborators of a board.`,
      shared,
    ),
    ownersSection(source),
  ]
}

function ownersSection({ db, boards, coverage }: AccessSource): Section {
  const title = 'By owner'
  const columns = tableColumns([
    { name: 'owner', title: 'Owner', format: 'text' },
    { name: 'open', title: 'Open to anyone', format: 'integer' },
    { name: 'editable', title: 'Editable by anyone', format: 'integer' },
    { name: 'shared', title: 'Shared outside', format: 'integer' },
    { name: 'outsiders', title: 'Outsiders', format: 'integer' },
    { name: 'boards', title: 'Boards owned', format: 'integer' },
    { name: 'owner_id', title: 'User ID', format: 'text' },
  ])
  const rows = db
    .selectFrom(boards.as('b'))
    .select(({ eb, fn, ref }) => [
      'b.owner_id',
      fn.max('b.owner').as('owner'),
      rowCount.as('boards'),
      countWhere(ref('b.open')).as('open'),
      countWhere(eb.and([eb('b.open', '=', true), eb('b.link_role', '=', 'editor')])).as(
        'editable',
      ),
      countWhere(eb('b.outsiders', '>', 0)).as('shared'),
      sum(ref('b.outsiders')).as('outsiders'),
    ])
    .groupBy('b.owner_id')
    .having(({ eb, or }) =>
      or([eb(sql`bool_or(b.open)`, '=', true), eb(sql`sum(b.outsiders)`, '>', 0)]),
    )
  const text =
    'Owners of boards that are open to anyone or shared outside: ask them to check their boards. A ' +
    'person who is on several boards counts once for each. The service reports the owner ' +
    'only among the collaborators of a board; without one, the owner is “(not given)”.'
  const empty = `${coverage.whole ? '' : 'As far as data was read: '}No board is open or shared outside.`
  const order = ['open desc', 'shared desc', 'outsiders desc', sql`x.owner_id nulls last`] as const
  return section(title, text, orderedTable(db, { title, columns, empty }, { rows, order }))
}

const BOARD_COLUMNS = tableColumns([
  { name: 'board', title: 'Board', format: 'text' },
  { name: 'owner', title: 'Owner', format: 'text' },
  { name: 'scope', title: 'Link access', format: 'text' },
  { name: 'link_role', title: 'Link role', format: 'text' },
])
const LAST_COLUMNS = tableColumns([
  { name: 'created_by', title: 'Created by', format: 'text' },
  { name: 'modified', title: 'Modified', format: 'instant' },
  { name: 'remark', title: 'Remark', format: 'text' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
])
const OPEN_COLUMNS = tableColumns([
  ...BOARD_COLUMNS,
  { name: 'outsiders', title: 'Outsiders', format: 'integer' },
  ...LAST_COLUMNS,
])
const SHARED_COLUMNS = tableColumns([
  ...BOARD_COLUMNS,
  { name: 'outsiders', title: 'Outsiders', format: 'integer' },
  { name: 'outsider_names', title: 'Their names', format: 'text' },
  ...LAST_COLUMNS,
])

const OPEN = 'Open to anyone'
export const SHARED = 'Shared outside'
