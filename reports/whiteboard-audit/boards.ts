import { type RawBuilder, sql } from 'kysely'
import type { Block, Note, Section, TableColumn } from '../../src/core/declare/report.ts'
import { classificationLabels } from '../../src/resources/classification-labels.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboardContent } from '../../src/resources/whiteboard-content.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import { localInstant } from '../shared/local-time.ts'
import { cursorTable, namesOf, queryTable } from '../shared/query.ts'
import { asRead } from './as-read.ts'
import { wordFor } from './codes.ts'
import { seenBySession } from './facts.ts'
import { countable, scoped } from './scope.ts'
import type { AuditSource } from './source.ts'

const SCOPES = [
  'restricted',
  'the account',
  'anyone',
  'the account and guests who sign in',
] as const
const LINK_ROLES = { 2: 'editor', 3: 'commenter', 4: 'viewer' }

const BY_SCOPE: readonly TableColumn[] = [
  { name: 'scope', title: 'Open by link to', format: 'text' },
  { name: 'boards', title: 'Boards', format: 'integer' },
  { name: 'in_use', title: 'in use in the period', format: 'integer' },
  { name: 'trashed', title: 'Trashed', format: 'integer' },
  { name: 'locked', title: 'Locked', format: 'integer' },
  { name: 'editable', title: 'Link may edit', format: 'integer' },
  { name: 'shareable', title: 'May be shared outside', format: 'integer' },
  { name: 'activities', title: 'Activities', format: 'integer' },
]
const BY_LABEL: readonly TableColumn[] = [
  { name: 'label', title: 'Label that we applied', format: 'text' },
  { name: 'sensitivity_level', title: 'Sensitivity', format: 'integer' },
  { name: 'boards', title: 'Boards', format: 'integer' },
  { name: 'in_use', title: 'in use in the period', format: 'integer' },
  { name: 'open_to_anyone', title: 'Open to anyone', format: 'integer' },
  { name: 'last_applied', title: 'Last applied', format: 'instant' },
]
const IN_USE: readonly TableColumn[] = [
  { name: 'name', title: 'Board', format: 'text' },
  { name: 'scope', title: 'Open by link to', format: 'text' },
  { name: 'link_role', title: 'Link role', format: 'text' },
  { name: 'sessions', title: 'Sessions', format: 'integer' },
  { name: 'people', title: 'People', format: 'integer' },
  { name: 'outsiders', title: 'From outside', format: 'integer' },
  { name: 'activities', title: 'Activities', format: 'integer' },
  { name: 'collaborators', title: 'Collaborators', format: 'integer' },
  { name: 'external', title: 'of them outside', format: 'integer' },
  { name: 'trashed', title: 'Trashed', format: 'boolean' },
  { name: 'locked', title: 'Locked', format: 'boolean' },
  { name: 'label', title: 'Label that we applied', format: 'text' },
  { name: 'remark', title: 'Remark', format: 'text' },
  { name: 'created_by_display_name', title: 'Created by', format: 'text' },
  { name: 'created', title: 'Created', format: 'instant' },
  { name: 'modified', title: 'Modified', format: 'instant' },
  { name: 'whiteboard_id', title: 'Board ID', format: 'text' },
]

/** How far the boards are open, and which of them the period touched. */
export async function boardsSection(source: AuditSource): Promise<Section> {
  const { db } = source
  const note = (tone: Note['tone'], text: string): Note => ({ kind: 'note', tone, text })
  const blocks: Block[] = []
  if (source.runId(whiteboards) === undefined)
    blocks.push(
      note('warning', 'The list of boards was never read: how they are shared is not known.'),
    )
  else
    blocks.push(
      await queryTable(
        db,
        {
          title: 'By sharing scope',
          columns: BY_SCOPE,
          empty: scoped(source, 'No board is known.'),
        },
        byScope(source),
      ),
    )
  blocks.push(
    note(
      'plain',
      'The service does not show which classification label a board carries. Counted are the labels that ' +
        'we applied ourselves and recorded; what others set or took away since is not known.',
    ),
    await queryTable(
      db,
      { title: 'By label', columns: BY_LABEL, empty: scoped(source, 'We applied no label.') },
      byLabel(source),
    ),
    cursorTable(
      db,
      {
        title: 'Boards in use in the period',
        columns: countable(source, IN_USE),
        empty: scoped(source, asRead(source, 'No board was in use.')),
      },
      inUse(source),
    ),
  )
  return { title: 'Boards', blocks }
}

/** The boards that the service lists. */
function known(source: AuditSource): RawBuilder<unknown> {
  return sql`(
    select b.*, ${wordFor(sql`b.share_scope`, SCOPES)} as scope,
      ${wordFor(sql`b.share_role`, LINK_ROLES)} as link_role
    from ${source.rows(whiteboards)} b where ${isChosen(source, sql`b.whiteboard_id`)})`
}

/** With a person the boards on which they were seen in the period. */
function isChosen(source: AuditSource, id: RawBuilder<unknown>): RawBuilder<unknown> {
  const { params, person, period } = source
  const isBoard = params.whiteboard === undefined ? sql`true` : sql`${id} = ${params.whiteboard}`
  if (person === undefined) return isBoard
  return sql`${isBoard} and ${id} in (select whiteboard_id from ${source.sessions(period)} s)`
}

/**
 * The last label of each board that we applied one to, whether the service lists the board or not; taken away
 * again, it has no name.
 */
function labels(source: AuditSource): RawBuilder<unknown> {
  const { account, rows } = source
  return sql`(
    select l.whiteboard_id, l.applied_at, l.classification_id, case when l.classification_id is null
      then '(taken away again)' else coalesce(c.name, l.name, l.classification_id) end as label
    from (select distinct on (whiteboard_id) * from callsheet.applied_labels
      where account = ${account} order by whiteboard_id, applied_at desc, call_id desc) l
      left join ${rows(classificationLabels)} c on c.classification_id = l.classification_id
    where ${isChosen(source, sql`l.whiteboard_id`)})`
}

/** What the period saw of each board. */
function used(source: AuditSource): RawBuilder<unknown> {
  return sql`(
    select s.whiteboard_id, s.name, s.sessions, coalesce(p.people, 0) as people,
      coalesce(p.outsiders, 0) as outsiders, coalesce(p.activities, 0) as activities
    from (select coalesce(whiteboard_id, '') as whiteboard_id, max(whiteboard_name collate "C") as name,
        count(*)::int as sessions from ${source.sessions(source.period)} s group by 1) s
    left join (select whiteboard_id, count(distinct person)::int as people,
        count(distinct person) filter (where outside)::int as outsiders, sum(activities)::int as activities
      from ${seenBySession(source)} p group by 1) p on p.whiteboard_id = s.whiteboard_id)`
}

function byScope(source: AuditSource): RawBuilder<unknown> {
  const count = (where: RawBuilder<unknown>) => sql`count(*) filter (where ${where})::int`
  return sql`
    select coalesce(b.scope, '(not given: restricted by default)') as scope, count(*)::int as boards,
      count(u.whiteboard_id)::int as in_use, ${count(sql`b.trashed`)} as trashed,
      ${count(sql`b.locked`)} as locked, ${count(sql`b.share_role = 2`)} as editable,
      ${count(sql`b.share_to_external or b.external_can_share`)} as shareable,
      coalesce(sum(u.activities), 0)::int as activities
    from ${known(source)} b left join ${used(source)} u on u.whiteboard_id = b.whiteboard_id
    group by b.share_scope, b.scope
    order by array_position(array[2, 3, 1, 0]::bigint[], b.share_scope) nulls last, b.share_scope`
}

function byLabel(source: AuditSource): RawBuilder<unknown> {
  const { rows, timeZone } = source
  return sql`
    select l.label, c.sensitivity_level, count(*)::int as boards,
      count(u.whiteboard_id)::int as in_use,
      count(*) filter (where b.share_scope = 2)::int as open_to_anyone,
      ${localInstant(sql`max(l.applied_at)`, timeZone)} as last_applied
    from ${labels(source)} l left join ${known(source)} b on b.whiteboard_id = l.whiteboard_id
      left join ${used(source)} u on u.whiteboard_id = l.whiteboard_id
      left join ${rows(classificationLabels)} c on c.classification_id = l.classification_id
    group by l.label, c.sensitivity_level
    order by c.sensitivity_level desc nulls last, l.label collate "C"`
}

function inUse(source: AuditSource): RawBuilder<unknown> {
  const { rows, timeZone } = source
  return sql`
    select ${namesOf(countable(source, IN_USE))} from (
      select u.whiteboard_id, coalesce(b.whiteboard_name, u.name) as name, u.sessions, u.people,
        u.outsiders, u.activities, b.scope, b.link_role,
        case when b.whiteboard_id is not null then coalesce(b.trashed, false) end as trashed,
        case when b.whiteboard_id is not null then coalesce(b.locked, false) end as locked,
        l.label, b.share_scope,
        b.created_by_display_name, ${localInstant(sql`b.created_date`, timeZone)} as created,
        ${localInstant(sql`b.modified_date`, timeZone)} as modified, c.collaborators, c.external,
        nullif(concat_ws('; ', case when b.whiteboard_id is null then 'not in the list of boards' end,
          case when c.collaborators >= ${MOST_COLLABORATORS} then 'more collaborators may exist' end,
          case when o.possibly_truncated then 'more objects may exist' end), '') as remark
      from ${used(source)} u
      left join ${known(source)} b on b.whiteboard_id = u.whiteboard_id
      left join ${labels(source)} l on l.whiteboard_id = u.whiteboard_id
      left join (select whiteboard_id, count(*)::int as collaborators,
          count(*) filter (where collaborator_type = 1)::int as external
        from ${rows(whiteboardCollaborators)} c group by 1) c on c.whiteboard_id = u.whiteboard_id
      left join ${rows(whiteboardContent)} o on o.whiteboard_id = u.whiteboard_id) u
    order by share_scope = 2 desc nulls last, outsiders desc, activities desc, whiteboard_id`
}

/** Where the service cuts its list of a board's collaborators, without a word. */
export const MOST_COLLABORATORS = 1_000
