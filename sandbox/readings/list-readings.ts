import { defineReading } from './reading.ts'

/** What lists show. */
export const LIST_READINGS = {
  listOrder: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '3' },
    question: 'Does a list keep its order while it is paged?',
    variants: {
      stable: { does: 'Yes.' },
      moves: {
        does: 'In every third pass one row shows twice, and another not at all.',
      },
      unstable: {
        does: 'That happens in every pass, to a different row each time.',
        told: { says: 'were shown again, so that others may be missing' },
      },
    },
    usual: 'stable',
    strict: 'moves',
    lenient: 'stable',
    callsheet:
      'If a row shows twice while others are missing from the total, or if there is no total, the list ' +
      'has moved. It is read again, at most three times, and then fails. Such a reading never proves that ' +
      'a row is deleted.',
  }),
  twins: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '3' },
    question: 'Does a list show each of its records once?',
    variants: {
      none: { does: 'Yes.' },
      equal: {
        does: 'The last one shows twice, in every pass, and the total counts both.',
        notes: 'records came twice with the same content; each is one row',
      },
    },
    usual: 'none',
    // In a list that also moves, nobody can tell the two apart.
    strict: 'none',
    lenient: 'none',
    callsheet:
      'The list is read again with different pages. If it shows the same records twice, and the total is ' +
      'reached, each is one row, and the run reports how many there were.',
  }),
  statusFilter: defineReading({
    where: { document: 1, section: 'List users: GET {base_url}/users' },
    question: 'Does the list filter by status, and do its items have one?',
    variants: {
      heeded: { does: 'Yes, and they do.' },
      unsaid: { does: 'Yes, but they do not.' },
      unheeded: { does: 'No: it shows everyone, but items have a status.' },
      neither: {
        does: 'No: it shows everyone, and items have no status.',
        told: { says: 'are in two lists of which only one can be right' },
      },
    },
    usual: 'heeded',
    strict: 'unheeded',
    lenient: 'heeded',
    callsheet:
      'An item’s own status takes precedence over its list’s filter. If two lists show a user without a ' +
      'status, the run fails, and stored rows stay.',
  }),
  totals: defineReading({
    where: { document: 3, section: 'Settings', item: '22' },
    question: 'What does `total_records` count?',
    variants: {
      list: { does: 'The whole list.' },
      page: { does: 'Only this page.' },
      words: {
        does: 'More than it says: a number with a plus behind it.',
        told: { says: 'total_records: a text, which counts nothing' },
      },
    },
    usual: 'list',
    strict: 'page',
    lenient: 'list',
    callsheet:
      'If the total is larger than what was received, the list was cut off. A smaller total counts ' +
      'something else and is ignored. An unreadable total fails the list.',
  }),
  unusableRecords: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'Is every element of a list a record with a key?',
    variants: {
      none: { does: 'Yes.' },
      null: { does: 'Sometimes a null is at the end.' },
      empty: { does: 'Sometimes an empty object is at the end.' },
    },
    usual: 'none',
    strict: 'null',
    lenient: 'none',
    callsheet:
      'It is set aside and counted. If rows are missing beside it, the run is incomplete; a list of ' +
      'nothing else fails.',
  }),
  moreStatuses: defineReading({
    where: { document: 1, section: 'List users: GET {base_url}/users' },
    question: 'Which users does the list show without a status, and are there more than three?',
    variants: {
      active: { does: 'Active ones; there are three.' },
      all: { does: 'Those of all three.' },
      more: { does: 'Those of all, of which a few are suspended: no list by status shows them.' },
    },
    usual: 'active',
    strict: 'more',
    lenient: 'all',
    callsheet:
      'The list without a status is requested for its total, and read if that exceeds the sum of the ' +
      'three. A user that only this list shows, without a status, fails the run.',
  }),
  unreadableTimes: defineReading({
    where: { document: 2, section: 'Session report item' },
    question: 'Can the `start_time` of every session be read?',
    variants: {
      none: { does: 'Yes.' },
      some: { does: 'A few contain a word.' },
      most: {
        does: 'Half of them have a word there.',
        told: { says: 'have no start_time that can be read' },
      },
    },
    usual: 'none',
    strict: 'some',
    lenient: 'none',
    callsheet:
      'The column is empty. No window owns such a row, so it is written once and never marked as deleted; ' +
      'a run that read every window names those that were not shown. More than a few leave the run ' +
      'incomplete, and reports begin with their number.',
  }),
}
