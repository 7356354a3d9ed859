import { defineReading } from './reading.ts'

/** Open questions about the rows of lists. */
export const LIST_READINGS = {
  listOrder: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '3' },
    question: 'Does a list keep its order between pages?',
    variants: {
      stable: { does: 'Yes.' },
      moves: {
        does: 'In every third pass one row repeats and another is left out.',
      },
      unstable: {
        does: 'In every pass a different row repeats and another is left out.',
        told: { says: 'appeared twice, so others may be missing' },
      },
    },
    usual: 'stable',
    strict: 'moves',
    lenient: 'stable',
    callsheet:
      'If a row repeats while the total is not reached, or there is no total, the list has moved. ' +
      'It is read again up to three times, then fails. Such a read never proves a deletion.',
  }),
  twins: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '3' },
    question: 'Does a list show each record once?',
    variants: {
      none: { does: 'Yes.' },
      equal: {
        does: 'It shows the last record twice, and the total counts both.',
        notes: 'twice with the same content; each is stored once',
      },
    },
    usual: 'none',
    // In a list that also moves, a sync could not distinguish the two effects.
    strict: 'none',
    lenient: 'none',
    callsheet:
      'The list is read again, with another page size if they are on two pages. If it shows the same ' +
      'duplicates and reaches the total, each is one row, and the run reports their number. A list ' +
      'that always shows a record twice in place of another one looks the same.',
  }),
  statusFilter: defineReading({
    where: { document: 1, section: 'List users: GET {base_url}/users' },
    question: 'Does the list filter by status, and do users have a status field?',
    variants: {
      heeded: { does: 'Both.' },
      unsaid: { does: 'It filters, but users have no status.' },
      unheeded: { does: 'It does not filter, but users have a status.' },
      neither: {
        does: 'Neither.',
        told: { says: 'in two lists with different content' },
      },
    },
    usual: 'heeded',
    strict: 'unheeded',
    lenient: 'heeded',
    callsheet:
      'A user’s own status overrides the filter. If two lists show a user without a status, the ' +
      'run fails, and stored rows stay.',
  }),
  totals: defineReading({
    where: { document: 3, section: 'Settings', item: '22' },
    question: 'What does `total_records` count?',
    variants: {
      list: { does: 'The whole list.' },
      page: { does: 'This page.' },
      words: {
        does: 'At least so many: a number with a plus sign.',
        told: { says: 'total_records is a string, which is not a valid count' },
      },
    },
    usual: 'list',
    strict: 'page',
    lenient: 'list',
    callsheet:
      'If the total exceeds what was received, the list was cut off. A smaller total is ignored. ' +
      'An unreadable one fails the list.',
  }),
  unusableRecords: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'Is every element of a list a record with a key?',
    variants: {
      none: { does: 'Yes.' },
      null: { does: 'Sometimes null is the last one.' },
      empty: { does: 'Sometimes {} is the last one.' },
    },
    usual: 'none',
    strict: 'null',
    lenient: 'none',
    callsheet:
      'It is quarantined and counted. If rows are missing beside it, the run is incomplete. A ' +
      'list with nothing else fails.',
  }),
  moreStatuses: defineReading({
    where: { document: 1, section: 'List users: GET {base_url}/users' },
    question: 'Which users does the list show without a status filter?',
    variants: {
      active: { does: 'Active ones.' },
      all: { does: 'All, of three statuses.' },
      more: { does: 'All, including suspended ones, whom no filter shows.' },
    },
    usual: 'active',
    strict: 'more',
    lenient: 'all',
    callsheet:
      'It is requested for its total, and read if that exceeds the sum of the three. A user ' +
      'without a status whom only this list shows fails the run.',
  }),
  unreadableTimes: defineReading({
    where: { document: 2, section: 'Session report item' },
    question: 'Is every session’s `start_time` readable?',
    variants: {
      none: { does: 'Yes.' },
      some: { does: 'A few are words.' },
      most: {
        does: 'Half of them are words.',
        told: { says: 'have no readable start_time' },
      },
    },
    usual: 'none',
    strict: 'some',
    lenient: 'none',
    callsheet:
      'The column is empty. Such a row is written once and never marked as deleted. More than a ' +
      'few leave the run incomplete, and reports state their number.',
  }),
}
