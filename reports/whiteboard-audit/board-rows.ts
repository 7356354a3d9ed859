import { type Expression, type RawBuilder, sql } from 'kysely'
import type { RowsOf } from '../../src/core/define/stream-row.ts'
import { classificationLabels } from '../../src/resources/classification-labels.ts'
import type { whiteboardContent } from '../../src/resources/whiteboard-content.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import { byBytes, countDistinct, rowCount, sum, wordFor } from '../shared/expressions.ts'
import { outsiders, seenBySession } from './facts.ts'
import type { AuditSource } from './source.ts'

/** The source of the sheets on boards, which also read the boards' content and labels. */
export interface BoardsSource extends AuditSource {
  rows: AuditSource['rows'] & RowsOf<typeof whiteboardContent | typeof classificationLabels>
}

/** Returns the boards that the service lists and that pass the filters. */
export function knownBoards(source: BoardsSource) {
  return source.db
    .selectFrom(source.rows(whiteboards).as('b'))
    .selectAll('b')
    .select(({ ref }) => [
      wordFor(ref('b.share_scope'), SCOPES).as('scope'),
      wordFor(ref('b.share_role'), LINK_ROLES).as('link_role'),
    ])
    .where(({ ref }) => isChosen(source, ref('b.whiteboard_id')))
}

/** Whether a board passes the filters. A person filter passes boards on which the person was seen. */
function isChosen(
  { db, params, person, period, sessions }: AuditSource,
  id: Expression<string>,
): RawBuilder<boolean> {
  const isBoard =
    params.whiteboard === undefined
      ? sql<boolean>`true`
      : sql<boolean>`${id} = ${params.whiteboard}`
  if (person === undefined) return isBoard
  const seen = db.selectFrom(sessions(period).as('s')).select('s.whiteboard_id')
  return sql`${isBoard} and ${id} in ${seen}`
}

/** Returns the last label that we applied to each board, listed or not. A removed label is `(removed)`. */
export function labelsOf(source: BoardsSource) {
  const { db, account, rows } = source
  const last = db
    .selectFrom('callsheet.calls')
    .distinctOn('whiteboard_id')
    .select(['classification_id', 'label'])
    .select(({ ref }) => [
      ref('whiteboard_id').$notNull().as('whiteboard_id'),
      ref('ended_at').$notNull().as('applied_at'),
    ])
    .where('account', '=', account)
    .where('whiteboard_id', 'is not', null)
    .orderBy('whiteboard_id')
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
  return db
    .selectFrom(last.as('l'))
    .leftJoin(rows(classificationLabels).as('c'), 'c.classification_id', 'l.classification_id')
    .select(['l.whiteboard_id', 'l.applied_at', 'l.classification_id'])
    .select(({ eb, fn }) =>
      eb
        .case()
        .when('l.classification_id', 'is', null)
        .then('(removed)')
        .else(fn.coalesce('c.name', 'l.label', 'l.classification_id'))
        .end()
        .as('label'),
    )
    .where(({ ref }) => isChosen(source, ref('l.whiteboard_id')))
}

/** Returns the boards with a session in the period, with counts of their sessions, people and activities. */
export function usedBoards(source: AuditSource) {
  const { db, period } = source
  const board = sql<string>`coalesce(whiteboard_id, '')`
  const sessions = db
    .selectFrom(source.sessions(period).as('s'))
    .select([board.as('whiteboard_id'), rowCount.as('sessions')])
    .select(({ fn, ref }) => fn.max(byBytes(ref('s.whiteboard_name'))).as('name'))
    .groupBy(board)
  const seen = db
    .selectFrom(seenBySession(source).as('p'))
    .select(({ ref }) => [
      'p.whiteboard_id',
      countDistinct(ref('p.person')).as('people'),
      outsiders(ref('p.person')).as('outsiders'),
      sum(ref('p.activities')).as('activities'),
    ])
    .groupBy('p.whiteboard_id')
  return db
    .selectFrom(sessions.as('s'))
    .leftJoin(seen.as('p'), 'p.whiteboard_id', 's.whiteboard_id')
    .select(['s.whiteboard_id', 's.name', 's.sessions'])
    .select(({ fn, lit }) => [
      fn.coalesce('p.people', lit(0)).as('people'),
      fn.coalesce('p.outsiders', lit(0)).as('outsiders'),
      fn.coalesce('p.activities', lit(0)).as('activities'),
    ])
}

export const SCOPES = [
  'restricted',
  'the account',
  'anyone',
  'the account and guests who sign in',
] as const
export const LINK_ROLES = { 2: 'editor', 3: 'commenter', 4: 'viewer' }
