import { sql } from 'kysely'
import type { Block, Section } from '../../src/core/define/report.ts'
import { classificationLabels } from '../../src/resources/classification-labels.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboardContent } from '../../src/resources/whiteboard-content.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import { neverRead, note } from '../shared/blocks.ts'
import { byBytes, countWhere, rowCount, sum } from '../shared/expressions.ts'
import { localInstant } from '../shared/local-time.ts'
import { orderedTable, tableColumns, tableOf } from '../shared/query.ts'
import { asFarAsRead } from './as-far-as-read.ts'
import { type BoardsSource, knownBoards, labelsOf, usedBoards } from './board-rows.ts'
import { countable, scoped } from './scope.ts'

const BY_SCOPE = tableColumns([
  { name: 'scope', title: 'Link access', format: 'text' },
  { name: 'boards', title: 'Boards', format: 'integer' },
  { name: 'in_use', title: 'Used in the period', format: 'integer' },
  { name: 'trashed', title: 'Trashed', format: 'integer' },
  { name: 'locked', title: 'Locked', format: 'integer' },
  { name: 'editable', title: 'Editable by link', format: 'integer' },
  { name: 'shareable', title: 'Sharable outside', format: 'integer' },
  { name: 'activities', title: 'Activities', format: 'integer' },
])
const BY_LABEL = tableColumns([
  { name: 'label', title: 'Applied label', format: 'text' },
  { name: 'sensitivity_level', title: 'Sensitivity', format: 'integer' },
  { name: 'boards', title: 'Boards', format: 'integer' },
  { name: 'in_use', title: 'Used in the period', format: 'integer' },
  { name: 'open_to_anyone', title: 'Open to anyone', format: 'integer' },
  { name: 'last_applied', title: 'Last applied', format: 'instant' },
])
const IN_USE = tableColumns([
  { name: 'name', title: 'Board', format: 'text' },
  { name: 'scope', title: 'Link access', format: 'text' },
  { name: 'link_role', title: 'Link role', format: 'text' },
  { name: 'sessions', title: 'Sessions', format: 'integer' },
  { name: 'people', title: 'People', format: 'integer' },
  { name: 'outsiders', title: 'From outside', format: 'integer' },
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'collaborators', title: 'Collaborators', format: 'integer' },
  { name: 'external', title: 'External collaborators', format: 'integer' },
  { name: 'trashed', title: 'Trashed', format: 'boolean' },
  { name: 'locked', title: 'Locked', format: 'boolean' },
  { name: 'label', title: 'Applied label', format: 'text' },
  { name: 'remark', title: 'Remark', format: 'text' },
  { name: 'created_by_display_name', title: 'Created by', format: 'text' },
  { name: 'created', title: 'Created', format: 'instant' },
  { name: 'modified', title: 'Modified', format: 'instant' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
])

/** Shows how the boards are shared, and which ones were used in the period. */
export async function boardsSection(source: BoardsSource): Promise<Section> {
  const { db } = source
  const blocks: Block[] = []
  if (source.runId(whiteboards) === undefined)
    blocks.push(
      note(
        'warning',
        neverRead('The list of boards was', {
          job: 'whiteboards',
          so: 'it is unknown how boards are shared',
        }),
      ),
    )
  else
    blocks.push(
      tableOf(
        {
          title: 'By sharing scope',
          columns: BY_SCOPE,
          empty: scoped(source, 'No boards are known.'),
        },
        await byScope(source).execute(),
      ),
    )
  blocks.push(
    note(
      'plain',
      'The service does not report which classification label a board has. These are the ' +
        'labels that Callsheet applied; changes that others made since then are unknown.',
    ),
    tableOf(
      {
        title: 'By label',
        columns: BY_LABEL,
        empty: scoped(source, 'No labels were applied by Callsheet.'),
      },
      await byLabel(source).execute(),
    ),
    orderedTable(
      db,
      {
        title: 'Boards in use in the period',
        columns: countable(source, IN_USE),
        empty: scoped(source, asFarAsRead(source, 'No boards were in use.')),
      },
      {
        rows: inUse(source),
        order: [
          sql`x.share_scope = 2 desc nulls last`,
          'outsiders desc',
          'activities desc',
          'whiteboard_id',
        ],
      },
    ),
  )
  return { title: 'Boards', blocks }
}

function byScope(source: BoardsSource) {
  return source.db
    .selectFrom(knownBoards(source).as('b'))
    .leftJoin(usedBoards(source).as('u'), 'u.whiteboard_id', 'b.whiteboard_id')
    .select(({ eb, fn, lit, or, ref, val }) => [
      fn.coalesce('b.scope', val('(not given: restricted by default)')).as('scope'),
      rowCount.as('boards'),
      countWhere(eb('u.whiteboard_id', 'is not', null)).as('in_use'),
      countWhere(ref('b.trashed')).as('trashed'),
      countWhere(ref('b.locked')).as('locked'),
      countWhere(eb('b.share_role', '=', 2)).as('editable'),
      countWhere(
        or([eb('b.share_to_external', '=', true), eb('b.external_can_share', '=', true)]),
      ).as('shareable'),
      fn.coalesce(sum(ref('u.activities')), lit(0)).as('activities'),
    ])
    .groupBy(['b.share_scope', 'b.scope'])
    .orderBy(
      ({ ref }) => sql`array_position(array[2, 3, 1, 0]::bigint[], ${ref('b.share_scope')})`,
      (order) => order.asc().nullsLast(),
    )
    .orderBy('b.share_scope')
}

function byLabel(source: BoardsSource) {
  const { db, rows, timeZone } = source
  return db
    .selectFrom(labelsOf(source).as('l'))
    .leftJoin(knownBoards(source).as('b'), 'b.whiteboard_id', 'l.whiteboard_id')
    .leftJoin(usedBoards(source).as('u'), 'u.whiteboard_id', 'l.whiteboard_id')
    .leftJoin(rows(classificationLabels).as('c'), 'c.classification_id', 'l.classification_id')
    .select(({ eb, fn }) => [
      'l.label',
      'c.sensitivity_level',
      rowCount.as('boards'),
      countWhere(eb('u.whiteboard_id', 'is not', null)).as('in_use'),
      countWhere(eb('b.share_scope', '=', 2)).as('open_to_anyone'),
      localInstant(fn.max('l.applied_at'), timeZone).as('last_applied'),
    ])
    .groupBy(['l.label', 'c.sensitivity_level'])
    .orderBy('c.sensitivity_level', (order) => order.desc().nullsLast())
    .orderBy(({ ref }) => byBytes(ref('l.label')))
}

function inUse(source: BoardsSource) {
  const { db, rows, timeZone } = source
  const collaborators = db
    .selectFrom(rows(whiteboardCollaborators).as('c'))
    .select(({ eb }) => [
      'c.whiteboard_id',
      rowCount.as('collaborators'),
      countWhere(eb('c.collaborator_type', '=', 1)).as('external'),
    ])
    .groupBy('c.whiteboard_id')
  return db
    .selectFrom(usedBoards(source).as('u'))
    .leftJoin(knownBoards(source).as('b'), 'b.whiteboard_id', 'u.whiteboard_id')
    .leftJoin(labelsOf(source).as('l'), 'l.whiteboard_id', 'u.whiteboard_id')
    .leftJoin(collaborators.as('c'), 'c.whiteboard_id', 'u.whiteboard_id')
    .leftJoin(rows(whiteboardContent).as('o'), 'o.whiteboard_id', 'u.whiteboard_id')
    .select(['u.whiteboard_id', 'u.sessions', 'u.people', 'u.outsiders', 'u.activities'])
    .select(['b.scope', 'b.link_role', 'b.share_scope', 'b.created_by_display_name', 'l.label'])
    .select(['c.collaborators', 'c.external'])
    .select(({ eb, fn, lit, ref }) => {
      const ofListed = (column: 'b.trashed' | 'b.locked') =>
        eb
          .case()
          .when('b.whiteboard_id', 'is not', null)
          .then(fn.coalesce(column, lit(false)))
          .end()
      return [
        fn.coalesce('b.whiteboard_name', 'u.name').as('name'),
        ofListed('b.trashed').as('trashed'),
        ofListed('b.locked').as('locked'),
        localInstant(ref('b.created_date'), timeZone).as('created'),
        localInstant(ref('b.modified_date'), timeZone).as('modified'),
        sql<string | null>`nullif(concat_ws('; ',
          case when b.whiteboard_id is null then 'not in the list of boards' end,
          case when c.collaborators >= ${MOST_COLLABORATORS} then 'more collaborators may exist' end,
          case when o.possibly_truncated then 'more objects may exist' end), '')`.as('remark'),
      ]
    })
}

/** The service silently ends a board's list of collaborators after this many. */
export const MOST_COLLABORATORS = 1_000
