import { z } from 'zod'
import { boolean, flag, instant, integer, oneOf, text } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { userErrors } from './service-errors.ts'

const STATUSES = ['active', 'inactive', 'pending'] as const
const scopes = ['user:read:admin', 'user:read']

export const listUsers = defineOperation({
  id: 'users.list',
  summary: 'List users of one status',
  method: 'GET',
  path: '/users',
  scopes,
  granularScopes: ['user:read:list_users:admin'],
  rate: 'MEDIUM',
  bearer: 'oauth',
  query: z.object({
    ...listQuery(300),
    status: z.enum(STATUSES).optional(),
    role_id: z.string().optional(),
    page_number: z.number().int().min(1).optional(),
  }),
  response: z.looseObject({ ...listEnvelope, users: z.array(z.unknown()) }),
  paging: { style: 'token', items: 'users', maxPageSize: 300, tokenErrorCodes: ['300'] },
})

export const getUser = defineOperation({
  id: 'users.get',
  summary: 'Read one user, or whoever owns the token (me)',
  method: 'GET',
  path: '/users/{userId}',
  scopes,
  granularScopes: ['user:read:user:admin', 'user:read:user'],
  rate: 'LIGHT',
  bearer: 'oauth',
  query: z.object({}),
  errors: userErrors('missing', 'notInAccount'),
  response: z.looseObject({ id: z.string(), status: z.unknown().optional() }),
  // Invited people are requested by address.
  names: { userId: ['id', 'email'] },
  paging: { style: 'record' },
  deleted: [
    { status: 404, code: '1001' },
    { status: 400, code: '1120' },
    { status: 400, code: '1010' },
  ],
})

/**
 * One list per status. A user whose status changes between the lists may be in none of them or in two. The
 * documents do not say if other statuses exist, so a list without a status is read if its total shows more.
 */
export const users = defineStream({
  name: 'users',
  about: 'One user of the account, or one person who is invited and has not joined yet.',
  operation: listUsers,
  columns: {
    id: text(
      'ID of the user; for someone invited the word pending: and the address in small letters.',
    ),
    email: text('E-mail address of the user.'),
    first_name: text('First name of the user.'),
    last_name: text('Last name of the user.'),
    display_name: text('Name under which others see the user.'),
    type: integer(
      "Number of the user's type; the service does not explain the numbers.",
      [1, 2, 3, 4, 99],
    ),
    status: oneOf(
      'Whether the user is active, inactive, or pending (invited and not joined yet).',
      STATUSES,
    ),
    role_id: text("ID of the user's role."),
    dept: text('Department of the user.'),
    timezone: text('Time zone of the user.'),
    location: text('Location of the user.'),
    job_title: text('Job title of the user.'),
    verified: flag('Whether the user is verified: 1 if so, 0 if not.'),
    pmi: integer("Number of the user's personal meeting."),
    use_pmi: boolean('Whether the user meets under the number of the personal meeting.'),
    user_created_at: instant('When the user was created, by the field user_created_at.'),
    created_at: instant('When the user was created, by the field created_at.'),
    last_login_time: instant('When the user last logged in; null if the service names no login.'),
    last_client_version: text('Version of the client that the user last used.'),
  },
  key: ['id'],
  subject: ['id', 'email'],
  person: { known: ['id', 'email'], called: [['display_name'], ['first_name', 'last_name']] },
  expected: ['email', 'type'],
  personal: ['email', 'first_name', 'last_name', 'display_name', 'pmi', 'job_title'],
  also: [
    'role_name',
    'personal_meeting_url',
    'pic_url',
    'cms_user_id',
    'jid',
    'account_id',
    'account_number',
    'language',
    'phone_country',
    'phone_number',
    'phone_numbers',
    'cost_center',
    'company',
    'cluster',
    'group_ids',
    'im_group_ids',
    'login_types',
    'custom_attributes',
  ],
  transient: [],
  volatile: ['last_login_time', 'last_client_version'],
  sync: {
    kind: 'snapshot',
    requests: () => [
      ...STATUSES.map((status) => ({
        slice: `status=${status}`,
        arguments: { query: { status } },
        filter: { status },
      })),
      { slice: 'any status', arguments: { query: {} }, filter: {}, rank: 1, ifMore: true },
    ],
  },
  deletions: {
    by: 'detail',
    operation: getUser,
    path: (row) => ({ userId: (row.id ?? '').replace(/^pending:/, '') }),
    // For an accepted invitation, a request by address returns the user who replaced it.
    superseded: (record, row) =>
      (row.id ?? '').startsWith('pending:') && record.status !== 'pending',
  },
  derive: (record, { filter }) => ({
    id: given(record.id) ?? pendingKey(record.email),
    status: given(record.status) ?? filter.status ?? withoutId(record.id),
  }),
})

/** Returns `pending` for a user without an ID, because all other users have one. */
function withoutId(id: unknown): string | undefined {
  return given(id) === undefined || id === null ? 'pending' : undefined
}

/** Treats "" as absent; the callers' `??` does the same with null (`docs/readings.md`). */
function given(value: unknown): unknown {
  return value === '' ? undefined : value
}

/** Pending users have no `id` yet (`docs/readings.md`). Their key is the address in lower case. */
function pendingKey(email: unknown): string | undefined {
  return typeof email === 'string' && email !== ''
    ? `pending:${email.normalize('NFC').toLowerCase()}`
    : undefined
}
