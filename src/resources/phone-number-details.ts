import { integer, oneOf, text } from '../core/declare/column.ts'
import { defineStream } from '../core/declare/define-stream.ts'
import { ALLOCATIONS, ASSIGNEES } from '../core/declare/word-fields.ts'
import { type WireRecord } from '../core/values/wire-record.ts'
import { ASSIGNMENT_ALIASES, getPhoneNumber, phoneNumbers } from './phone-numbers.ts'
import { within } from './within.ts'

/**
 * Read again when the list shows the number otherwise. What the list does not show (labels, greetings) may
 * change without a word, and is found within the month.
 */
export const phoneNumberDetails = defineStream({
  name: 'phone_number_details',
  operation: getPhoneNumber,
  columns: {
    id: text(),
    number: text(),
    allocated_product: oneOf(ALLOCATIONS),
    status: oneOf(['Normal', 'Pending']),
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

/** What only the detail tells of an assignment. */
export const phoneNumberAssignmentDetails = defineStream({
  name: 'phone_number_assignment_details',
  operation: getPhoneNumber,
  columns: {
    phone_number_id: text(),
    assigned_to_type: oneOf(ASSIGNEES),
    assigned_to_id: text(),
    source_channel: oneOf(['Voice', 'SMS']),
    ordinal: integer(),
    assigned_to_name: text(),
    extension_number: text(),
    display_number: text(),
    label: text(),
    meeting_id: text(),
    greeting_id: text(),
    greeting_name: text(),
    on_hold_music_id: text(),
    on_hold_music_name: text(),
  },
  key: ['phone_number_id', 'assigned_to_type', 'assigned_to_id', 'source_channel', 'ordinal'],
  subject: ['assigned_to_id'],
  personal: ['assigned_to_name'],
  aliases: ASSIGNMENT_ALIASES,
  also: ['greeting', 'on_hold_music'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'cut',
    parent: phoneNumberDetails,
    items: (number) => (number.assigned_list ?? []) as WireRecord[],
  },
  deletions: { by: 'parent' },
  derive: (record, { parent, ordinal }) => ({
    phone_number_id: parent?.key[0],
    assigned_to_type: record.assigned_to_type ?? '',
    assigned_to_id: record.assigned_to_id ?? '',
    source_channel: record.source_channel ?? '',
    ordinal,
    greeting_id: within(record.greeting, 'id'),
    greeting_name: within(record.greeting, 'name'),
    on_hold_music_id: within(record.on_hold_music, 'id'),
    on_hold_music_name: within(record.on_hold_music, 'name'),
  }),
})
