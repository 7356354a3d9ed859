import { z } from 'zod'
import { boolean, instant, integer, json, oneOf, text, textArray } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { ALLOCATIONS, ASSIGNEES, SOURCES } from '../core/define/word-fields.ts'
import { fieldWithin } from './field-within.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { numberErrors } from './service-errors.ts'

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
  response: z.looseObject({ id: z.string(), status: z.unknown().optional() }),
  names: { phoneNumberId: ['id'] },
  paging: { style: 'record' },
  deleted: [{ status: 400, code: '100002' }],
})

/** The list has no `total_records`. A number that is added again gets a new `id`. */
export const phoneNumbers = defineStream({
  name: 'phone_numbers',
  about: 'One phone number of the account.',
  operation: listPhoneNumbers,
  columns: {
    id: text('ID of the number.'),
    number: text('The phone number in the international form, with + and the country code.'),
    allocated_product: oneOf(
      'Product that the number is allocated to; UNALLOCATED if none.',
      ALLOCATIONS,
    ),
    number_type: oneOf('Kind of number, such as toll, toll-free or mobile.', [
      'Toll',
      'TollFree',
      'VirtualService',
      'Mobile',
      'SharedCost',
      'National',
      'ITFS',
    ]),
    source: oneOf(
      'Where the number comes from: the service, a port, another provider or a carrier.',
      SOURCES,
    ),
    status: oneOf('Whether the number is in normal use or still pending.', ['Normal', 'Pending']),
    display_name: text('Name that the account shows for the number.'),
    caller_id_name: text('Name that is shown as caller ID.'),
    capability: textArray('What the number can do, such as Incoming, Outgoing or Messaging.'),
    carrier_code: integer('Code of the carrier.'),
    carrier_name: text('Name of the carrier.'),
    emergency_address: json(
      'Emergency address: address lines, city, county, state code, postal code and country.',
    ),
    emergency_address_update_time: instant(
      'When the emergency address changed; given for on-premises carrier numbers.',
    ),
    address_update_required: boolean(
      'Whether the address needs an update; given for on-premises carrier numbers.',
    ),
    location_city: text('City of the number.'),
    location_country: text('Country of the number.'),
    location_state: text('State or region of the number.'),
    site_id: text('ID of the site that the number belongs to.'),
    site_name: text('Name of the site that the number belongs to.'),
    sip_group_id: text('ID of the SIP group of the number, from sip_groups.sip_group_id.'),
    sip_group_name: text('Name of the SIP group of the number.'),
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
    carrier_code: fieldWithin(carrier, 'code'),
    carrier_name: fieldWithin(carrier, 'name'),
    location_city: fieldWithin(location, 'city'),
    location_country: fieldWithin(location, 'country'),
    location_state: fieldWithin(location, 'state'),
    site_id: fieldWithin(site, 'site_id'),
    site_name: fieldWithin(site, 'name'),
    sip_group_id: fieldWithin(sip_group, 'id'),
    sip_group_name: fieldWithin(sip_group, 'name'),
  }),
})

/** The documents spell the field `assgined_to_name` in the detail; the list may do the same. */
export const ASSIGNMENT_ALIASES = { assigned_to_name: ['assgined_to_name'] }

/** For the contact-center product, `assigned_to_id` is a code for the number's use, not an object's ID. */
export const phoneNumberAssignments = defineStream({
  name: 'phone_number_assignments',
  about: 'One user or place that a phone number is assigned to, as the list of numbers shows.',
  operation: listPhoneNumbers,
  columns: {
    phone_number_id: text('ID of the number, from phone_numbers.id.'),
    assigned_to_type: oneOf(
      'Kind of user or place that has the number; empty if the service gives none.',
      ASSIGNEES,
    ),
    assigned_to_id: text(
      'ID of who has it; in the contact center a use: 2 dial-in, 3 system SMS, 4 caller ID, 8 agent SMS.',
    ),
    source_channel: oneOf(
      'Channel that the contact center uses the number for; empty for other products.',
      ['Voice', 'SMS'],
    ),
    ordinal: integer('Place among rows that are otherwise alike, counted from 0.'),
    assigned_to_name: text('Name of who or what has the number.'),
    extension_number: text('Extension under which the holder is reached.'),
  },
  key: ['phone_number_id', 'assigned_to_type', 'assigned_to_id', 'source_channel', 'ordinal'],
  subject: ['assigned_to_id'],
  personal: ['assigned_to_name'],
  aliases: ASSIGNMENT_ALIASES,
  transient: [],
  volatile: [],
  sync: {
    kind: 'nested',
    parent: phoneNumbers,
    items: (number) => number.assigned_list,
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
