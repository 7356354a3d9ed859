import { integer, oneOf, text } from '../core/define/column.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { ALLOCATIONS, ASSIGNEES } from '../core/define/word-fields.ts'
import { fieldWithin } from './field-within.ts'
import { ASSIGNMENT_ALIASES, getPhoneNumber, phoneNumbers } from './phone-numbers.ts'

/**
 * A detail is read again when the number's list entry changes, and at least every 30 days, because fields
 * that the list lacks (labels, greetings) may change without it.
 */
export const phoneNumberDetails = defineStream({
  name: 'phone_number_details',
  about: 'One phone number as the service shows it when asked for that number alone.',
  operation: getPhoneNumber,
  columns: {
    id: text('ID of the number, from phone_numbers.id.'),
    number: text('The phone number in the international form, with + and the country code.'),
    allocated_product: oneOf(
      'Product that the number is allocated to; UNALLOCATED if none.',
      ALLOCATIONS,
    ),
    status: oneOf('Whether the number is in normal use or still pending.', ['Normal', 'Pending']),
  },
  key: ['id'],
  expected: ['number'],
  personal: [],
  also: [...Object.keys(phoneNumbers.columns), ...phoneNumbers.also],
  transient: [],
  volatile: [],
  sync: {
    kind: 'fan-out',
    parent: phoneNumbers,
    order: 'number',
    request: ([id = '']) => ({
      slice: `number=${id}`,
      arguments: { path: { phoneNumberId: id } },
      filter: {},
    }),
    again: { versions: ['_hash'], maxAgeDays: 30 },
  },
  deletions: { by: 'parent' },
  derive: (_record, { parent }) => ({ id: parent?.key[0] }),
})

export const phoneNumberAssignmentDetails = defineStream({
  name: 'phone_number_assignment_details',
  about: 'One user or place that a phone number is assigned to, with what the detail call adds.',
  operation: getPhoneNumber,
  columns: {
    phone_number_id: text('ID of the number, from phone_number_details.id.'),
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
    display_number: text('Number that the assignment displays.'),
    label: text('Label of the assignment.'),
    meeting_id: text('ID of the meeting that the assignment leads to.'),
    greeting_id: text('ID of the greeting; given for the meeting service only.'),
    greeting_name: text('Name of the greeting; given for the meeting service only.'),
    on_hold_music_id: text('ID of the music on hold; given for the meeting service only.'),
    on_hold_music_name: text('Name of the music on hold; given for the meeting service only.'),
  },
  key: ['phone_number_id', 'assigned_to_type', 'assigned_to_id', 'source_channel', 'ordinal'],
  subject: ['assigned_to_id'],
  personal: ['assigned_to_name'],
  aliases: ASSIGNMENT_ALIASES,
  also: ['greeting', 'on_hold_music'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'nested',
    parent: phoneNumberDetails,
    items: (number) => number.assigned_list,
  },
  deletions: { by: 'parent' },
  derive: (record, { parent, ordinal }) => ({
    phone_number_id: parent?.key[0],
    assigned_to_type: record.assigned_to_type ?? '',
    assigned_to_id: record.assigned_to_id ?? '',
    source_channel: record.source_channel ?? '',
    ordinal,
    greeting_id: fieldWithin(record.greeting, 'id'),
    greeting_name: fieldWithin(record.greeting, 'name'),
    on_hold_music_id: fieldWithin(record.on_hold_music, 'id'),
    on_hold_music_name: fieldWithin(record.on_hold_music, 'name'),
  }),
})
