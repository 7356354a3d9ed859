import {
  boolean,
  flag,
  instant,
  integer,
  integerList,
  jsonList,
  text,
  textArray,
} from '../core/declare/column.ts'
import type { ColumnOf } from '../core/declare/define-stream.ts'
import { defineStream } from '../core/declare/define-stream.ts'
import { type WireRecord } from '../core/values/wire-record.ts'
import { getUser, users } from './users.ts'

/** What a change of the person shows in the list; a login alone is not worth a call. */
const versions = Object.keys(users.columns).filter(
  (name) => name !== 'id' && !(users.volatile as readonly string[]).includes(name),
  // The compiler knows of keys only that they are texts.
) as ColumnOf<typeof users>[]

/**
 * Groups and attributes change without a word in the list, so everybody is asked again within the month. The
 * address of the personal meeting room may hold its passcode and is never stored.
 */
export const userDetails = defineStream({
  name: 'user_details',
  operation: getUser,
  columns: {
    id: text(),
    display_name: text(),
    role_id: text(),
    role_name: text(),
    dept: text(),
    job_title: text(),
    company: text(),
    cost_center: text(),
    location: text(),
    timezone: text(),
    language: text(),
    cluster: text(),
    account_number: integer(),
    jid: text(),
    cms_user_id: text(),
    phone_country: text(),
    phone_number: text(),
    pmi: integer(),
    use_pmi: boolean(),
    verified: flag(),
    group_ids: textArray(),
    im_group_ids: textArray(),
    login_types: integerList(),
    custom_attributes: jsonList(),
    user_created_at: instant(),
    created_at: instant(),
    last_login_time: instant(),
    last_client_version: text(),
    account_id: text(),
    pic_url: text(),
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
    // Whoever is invited has no ID yet, and hardly anything to tell.
    asks: ([id = '']) => !id.startsWith('pending:'),
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
  operation: getUser,
  columns: {
    user_id: text(),
    code: text(),
    number: text(),
    ordinal: integer(),
    country: text(),
    label: text(),
    verified: boolean(),
  },
  key: ['user_id', 'code', 'number', 'ordinal'],
  subject: ['user_id'],
  personal: ['number', 'label'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'cut',
    parent: userDetails,
    items: (user) => (user.phone_numbers ?? []) as WireRecord[],
  },
  deletions: { by: 'parent' },
  derive: ({ code, number }, { parent, ordinal }) => ({
    user_id: parent?.key[0],
    code: code ?? '',
    number: number ?? '',
    ordinal,
  }),
})
