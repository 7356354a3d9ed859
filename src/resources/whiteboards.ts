import { z } from 'zod'
import { boolean, coded, instant, text } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { utcInstant } from '../core/time/time.ts'
import { fieldWithin } from './field-within.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { whiteboardErrors } from './service-errors.ts'

const DATES = ['created_date', 'modified_date'] as const
const DATE_FILTER = ['date_filter_type', 'from', 'to'] as const

export const listWhiteboards = defineOperation({
  id: 'whiteboards.list',
  summary: 'List whiteboards',
  method: 'GET',
  path: '/whiteboards',
  scopes: ['whiteboard:read:admin', 'whiteboard:read'],
  granularScopes: ['whiteboard:read:list_whiteboards:admin', 'whiteboard:read:list_whiteboards'],
  rate: 'MEDIUM',
  bearer: 'oauth',
  errors: whiteboardErrors('invalid', 'userMissing', 'userNotInAccount'),
  query: z.object({
    ...listQuery(50),
    date_filter_type: z.enum(DATES).optional(),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    user_id: z.string().optional(),
    search_key: z.string().optional(),
    project_id: z.string().optional(),
  }),
  undocumented: DATE_FILTER,
  response: z.looseObject({ ...listEnvelope, whiteboards: z.array(z.unknown()) }),
  paging: {
    style: 'token',
    items: 'whiteboards',
    maxPageSize: 50,
    tokenErrorCodes: ['34002', '300'],
  },
})

const dated = (date_filter_type: (typeof DATES)[number], fromMs: number, toMs: number) => ({
  query: { date_filter_type, from: utcInstant(fromMs), to: utcInstant(toMs) },
})

/**
 * Boards are read in windows of the creation date. Changed boards are often older than the windows of a run,
 * so a list by modification date is read too. No call reads one board, so a second read confirms a deletion.
 * Ten years back is before the first board.
 */
export const whiteboards = defineStream({
  name: 'whiteboards',
  about: 'One whiteboard, called a board for short.',
  operation: listWhiteboards,
  columns: {
    whiteboard_id: text('ID of the board.'),
    whiteboard_name: text('Name of the board; Untitled if nobody named it.'),
    created_by_display_name: text('Name of who created the board.'),
    created_date: instant('When the board was created.'),
    modified_date: instant('When the board was last changed.'),
    project_id: text('ID of the project that the board belongs to.'),
    locked: boolean('Whether the board is locked.'),
    readonly: boolean('Whether the board can only be read, as a locked one can.'),
    trashed: boolean('Whether the board is in the trash.'),
    non_cloud: boolean('Whether the board is kept out of the cloud.'),
    share_scope: coded('Who the link admits', {
      0: 'restricted',
      1: 'the account',
      2: 'anyone',
      3: 'the account with external login',
    }),
    share_role: coded(
      'What the link lets one be',
      { 2: 'editor', 3: 'commenter', 4: 'viewer' },
      '; null if share_scope is 0',
    ),
    can_share: boolean('Whether users may share the board, up to their own role.'),
    external_can_share: boolean('Whether people outside the account may share the board.'),
    share_to_external: boolean('Whether users may share the board with people outside.'),
  },
  key: ['whiteboard_id'],
  expected: ['created_date', 'modified_date'],
  personal: ['whiteboard_name', 'created_by_display_name'],
  also: ['share_link_setting', 'advanced_share_setting'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'windows',
    cursor: 'created_date',
    spanDays: 26,
    overlapDays: 1,
    lookbackDays: 26,
    historyLimitDays: 3_650,
    request: ({ fromMs, toMs }) => ({
      slice: `${utcInstant(fromMs)}..${utcInstant(toMs)}`,
      arguments: dated('created_date', fromMs, toMs),
      filter: {},
    }),
    incremental: ({ fromMs, toMs }) => dated('modified_date', fromMs, toMs),
    whole: () => ({ slice: 'all', arguments: { query: {} }, filter: {} }),
  },
  deletions: { by: 'second-read', afterMs: 0 },
  derive: ({ share_link_setting: link, advanced_share_setting: advanced }) => ({
    share_scope: fieldWithin(link, 'share_scope'),
    share_role: fieldWithin(link, 'share_role'),
    can_share: fieldWithin(advanced, 'can_share'),
    external_can_share: fieldWithin(advanced, 'external_can_share'),
    share_to_external: fieldWithin(advanced, 'share_to_external'),
  }),
})
