import { z } from 'zod'
import { boolean, instant, integer, json, oneOf, text, textArray } from '../core/declare/column.ts'
import { defineOperation } from '../core/declare/define-operation.ts'
import { defineStream } from '../core/declare/define-stream.ts'
import { ALLOCATIONS, ASSIGNEES, SOURCES } from '../core/declare/word-fields.ts'
import { type WireRecord } from '../core/values/wire-record.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { numberErrors } from './service-errors.ts'
import { within } from './within.ts'

const scopes = ['number_management_numbers:read:admin']

export const listPhoneNumbers = defineOperation({
  id: 'phone_numbers.list',
  summary: 'List the phone numbers of the account',
  method: 'GET',
  path: '/number_management/numbers',
  scopes,
  granularScopes: ['number_management:read:list_numbers:admin'],
  rate: 'LIGHT',
  bearer: 'oauth',
  query: z.object({
    ...listQuery(200),
    allocated_product: z.string().optional(),
    number_type: z.string().optional(),
    number_status: z.string().optional(),
    number_source: z.string().optional(),
    site_id: z.string().optional(),
    assigned_to_type: z.string().optional(),
    keyword: z.string().optional(),
  }),
  errors: numberErrors('invalid', 'pageToken'),
  response: z.looseObject({ ...listEnvelope, numbers: z.array(z.unknown()) }),
  paging: {
    style: 'token',
    items: 'numbers',
    maxPageSize: 200,
    tokenErrorCodes: ['1003100', '300'],
  },
})

export const getPhoneNumber = defineOperation({
  id: 'phone_numbers.get',
  summary: 'Read one phone number',
  method: 'GET',
  path: '/number_management/numbers/{phoneNumberId}',
  scopes,
  granularScopes: ['number_management:read:numbers:admin'],
  rate: 'LIGHT',
  bearer: 'oauth',
  query: z.object({}),
  errors: numberErrors('numberMissing', 'invalid'),
  response: z.looseObject({ id: z.string() }),
  paging: { style: 'record' },
  deleted: [{ status: 400, code: '100002' }],
})

/** The list carries no `total_records`. A number that is added again comes with a new `id`. */
export const phoneNumbers = defineStream({
  name: 'phone_numbers',
  operation: listPhoneNumbers,
  columns: {
    id: text(),
    number: text(),
    allocated_product: oneOf(ALLOCATIONS),
    number_type: oneOf([
      'Toll',
      'TollFree',
      'VirtualService',
      'Mobile',
      'SharedCost',
      'National',
      'ITFS',
    ]),
    source: oneOf(SOURCES),
    status: oneOf(['Normal', 'Pending']),
    display_name: text(),
    caller_id_name: text(),
    capability: textArray(),
    carrier_code: integer(),
    carrier_name: text(),
    emergency_address: json(),
    emergency_address_update_time: instant(),
    address_update_required: boolean(),
    location_city: text(),
    location_country: text(),
    location_state: text(),
    site_id: text(),
    site_name: text(),
    sip_group_id: text(),
    sip_group_name: text(),
  },
  key: ['id'],
  expected: ['number'],
  personal: ['display_name', 'caller_id_name', 'emergency_address'],
  also: ['carrier', 'location', 'site', 'sip_group', 'assigned_list'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'snapshot',
    requests: () => [{ slice: 'all', arguments: { query: {} }, filter: {} }],
  },
  deletions: {
    by: 'detail',
    operation: getPhoneNumber,
    path: (row) => ({ phoneNumberId: row.id ?? '' }),
  },
  derive: ({ carrier, location, site, sip_group }) => ({
    carrier_code: within(carrier, 'code'),
    carrier_name: within(carrier, 'name'),
    location_city: within(location, 'city'),
    location_country: within(location, 'country'),
    location_state: within(location, 'state'),
    site_id: within(site, 'site_id'),
    site_name: within(site, 'name'),
    sip_group_id: within(sip_group, 'id'),
    sip_group_name: within(sip_group, 'name'),
  }),
})

/** The detail is documented with the second spelling, and the list may have it as well. */
export const ASSIGNMENT_ALIASES = { assigned_to_name: ['assgined_to_name'] }

/** With the contact-center product `assigned_to_id` is a code of the use, not an object's ID. */
export const phoneNumberAssignments = defineStream({
  name: 'phone_number_assignments',
  operation: listPhoneNumbers,
  columns: {
    phone_number_id: text(),
    assigned_to_type: oneOf(ASSIGNEES),
    assigned_to_id: text(),
    source_channel: oneOf(['Voice', 'SMS']),
    ordinal: integer(),
    assigned_to_name: text(),
    extension_number: text(),
  },
  key: ['phone_number_id', 'assigned_to_type', 'assigned_to_id', 'source_channel', 'ordinal'],
  subject: ['assigned_to_id'],
  personal: ['assigned_to_name'],
  aliases: ASSIGNMENT_ALIASES,
  transient: [],
  volatile: [],
  sync: {
    kind: 'cut',
    parent: phoneNumbers,
    items: (number) => (number.assigned_list ?? []) as WireRecord[],
  },
  deletions: { by: 'parent' },
  derive: (record, { parent, ordinal }) => ({
    phone_number_id: parent?.key[0],
    assigned_to_type: record.assigned_to_type ?? '',
    assigned_to_id: record.assigned_to_id ?? '',
    source_channel: record.source_channel ?? '',
    ordinal,
  }),
})
