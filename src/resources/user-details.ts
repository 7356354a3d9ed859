import {
  boolean,
  flag,
  instant,
  integer,
  integerList,
  jsonList,
  text,
  textArray,
} from '../core/define/column.ts'
import type { ColumnOf } from '../core/define/define-stream.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { getUser, users } from './users.ts'

/** The list columns whose change makes a detail due. A new login or client version alone does not. */
const versions = Object.keys(users.columns).filter(
  (name) => name !== 'id' && !(users.volatile as readonly string[]).includes(name),
  // The compiler knows only that keys are strings.
) as ColumnOf<typeof users>[]

/**
 * Groups and attributes may change without a change in the list, so each user is read at least every 30 days.
 * The address of the personal meeting room may contain the room's passcode, so it is never stored.
 */
export const userDetails = defineStream({
  name: 'user_details',
  about: 'What the service shows of one user only when it is asked for that user alone.',
  operation: getUser,
  columns: {
    id: text('ID of the user, from users.id.'),
    display_name: text('Name under which others see the user.'),
    role_id: text("ID of the user's role."),
    role_name: text("Name of the user's role."),
    dept: text('Department of the user.'),
    job_title: text('Job title of the user.'),
    company: text('Company of the user.'),
    cost_center: text('Cost center of the user.'),
    location: text('Location of the user.'),
    timezone: text('Time zone of the user.'),
    language: text('Language of the user.'),
    cluster: text('Cluster that the service names for the user.'),
    account_number: integer("Number of the user's account."),
    jid: text('Chat address of the user.'),
    cms_user_id: text('The field cms_user_id as it came; the service does not explain it.'),
    phone_country: text("Country of the user's phone number."),
    phone_number: text('Phone number of the user.'),
    pmi: integer("Number of the user's personal meeting."),
    use_pmi: boolean('Whether the user meets under the number of the personal meeting.'),
    verified: flag('Whether the user is verified: 1 if so, 0 if not.'),
    group_ids: textArray('IDs of the groups that the user is in.'),
    im_group_ids: textArray('IDs of the chat groups that the user is in.'),
    login_types: integerList(
      "Numbers of the user's ways to log in; the service does not explain the numbers.",
    ),
    custom_attributes: jsonList('Custom attributes of the user, each with key, name and value.'),
    user_created_at: instant('When the user was created, by the field user_created_at.'),
    created_at: instant('When the user was created, by the field created_at.'),
    last_login_time: instant('When the user last logged in; null if the service names no login.'),
    last_client_version: text('Version of the client that the user last used.'),
    account_id: text("ID that the service gives the user's account."),
    pic_url: text("Address of the user's picture."),
  },
  key: ['id'],
  subject: ['id'],
  personal: [
    'display_name',
    'job_title',
    'jid',
    'phone_number',
    'pmi',
    'custom_attributes',
    'pic_url',
  ],
  also: ['first_name', 'last_name', 'email', 'type', 'status', 'phone_numbers'],
  transient: ['personal_meeting_url'],
  volatile: ['last_login_time', 'last_client_version'],
  sync: {
    kind: 'fan-out',
    parent: users,
    order: 'user_created_at',
    // An invited person has no ID yet, and almost no details.
    nothingOf: 'pending:',
    request: ([id = '']) => ({
      slice: `user=${id}`,
      arguments: { path: { userId: id } },
      filter: {},
    }),
    again: { versions, maxAgeDays: 30 },
  },
  deletions: { by: 'parent' },
  derive: (_record, { parent }) => ({ id: parent?.key[0] }),
})

export const userPhoneNumbers = defineStream({
  name: 'user_phone_numbers',
  about: "One phone number that a user's own record lists.",
  operation: getUser,
  columns: {
    user_id: text('ID of the user, from user_details.id.'),
    code: text('Country code of the number; empty if the service gives none.'),
    number: text('The phone number; empty if the service gives none.'),
    ordinal: integer('Place among rows that are otherwise alike, counted from 0.'),
    country: text('Country of the number.'),
    label: text('Label that says what the number is for.'),
    verified: boolean('Whether the number is verified.'),
  },
  key: ['user_id', 'code', 'number', 'ordinal'],
  subject: ['user_id'],
  personal: ['number', 'label'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'nested',
    parent: userDetails,
    items: (user) => user.phone_numbers,
  },
  deletions: { by: 'parent' },
  derive: ({ code, number }, { parent, ordinal }) => ({
    user_id: parent?.key[0],
    code: code ?? '',
    number: number ?? '',
    ordinal,
  }),
})
