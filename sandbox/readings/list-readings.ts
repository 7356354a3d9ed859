import { defineReading } from './reading.ts'

/** What lists show. */
export const LIST_READINGS = {
  listOrder: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '3' },
    question: 'Do the rows of a list keep their order while it is paged?',
    variants: {
      stable: { does: 'They do.' },
      moves: {
        does: 'In each third pass one row is shown twice, and another not at all.',
      },
      unstable: {
        does: 'That happens in every pass, to another row each time.',
        told: { says: 'were shown again, so that others may be missing' },
      },
    },
    usual: 'stable',
    strict: 'moves',
    lenient: 'stable',
    callsheet:
      'A row that comes twice while others lack to the total, or without one, says that the list moved: ' +
      'it is read again, three times at most, and then fails by name. Such a reading proves no row gone.',
  }),
  twins: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '3' },
    question: 'Does a list show each of its records once?',
    variants: {
      none: { does: 'It does.' },
      equal: {
        does: 'The last one stands there twice, in every pass, and the total counts both.',
        notes: 'records came twice with the same content; each is one row',
      },
    },
    usual: 'none',
    // In a list that also moves, nobody can tell the two apart.
    strict: 'none',
    lenient: 'none',
    callsheet:
      'The list is read a second time in other pages. If it shows the same records twice, and nothing ' +
      'lacks to the total, each is one row, and the run says how many there were.',
  }),
  statusFilter: defineReading({
    where: { document: 1, section: 'List users: GET {base_url}/users' },
    question: 'Does the list heed the status that is asked for, and do its items say theirs?',
    variants: {
      heeded: { does: 'It does, and they do.' },
      unsaid: { does: 'It does, and they do not.' },
      unheeded: { does: 'It shows everyone, and they do.' },
      neither: {
        does: 'It shows everyone, and they do not.',
        told: { says: 'are in two lists of which only one can be right' },
      },
    },
    usual: 'heeded',
    strict: 'unheeded',
    lenient: 'heeded',
    callsheet:
      'What an item says of itself counts before the filter of its list. A user whom two lists show, and ' +
      'who does not say which is right, fails the run; what is held stays.',
  }),
  totals: defineReading({
    where: { document: 3, section: 'Settings', item: '22' },
    question: 'What does `total_records` count?',
    variants: {
      list: { does: 'The list, whatever is on this page.' },
      page: { does: 'The records of this page.' },
      words: {
        does: 'More than it says: a number with a plus behind it.',
        told: { says: 'total_records: a text, which counts nothing' },
      },
    },
    usual: 'list',
    strict: 'page',
    lenient: 'list',
    callsheet:
      'A total above what came is a list that broke off; one below counts something else, as if none came. ' +
      'Of a total that cannot be read the list fails.',
  }),
  unusableRecords: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'Is every element of a list a record with its key?',
    variants: {
      none: { does: 'Each is.' },
      null: { does: 'Now and then a null stands at the end.' },
      empty: { does: 'Now and then an object without any field does.' },
    },
    usual: 'none',
    strict: 'null',
    lenient: 'none',
    callsheet:
      'It is set aside and counted. Rows not shown beside it keep the run from being complete, and ' +
      'a list of nothing else fails.',
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
      'The list without a status is asked for its total, and read where that is more than the three ' +
      'showed. A user whom it alone shows, and without a status, fails the run.',
  }),
  unreadableTimes: defineReading({
    where: { document: 2, section: 'Session report item' },
    question: 'Can the `start_time` of every session be read?',
    variants: {
      none: { does: 'It can.' },
      some: { does: 'A few have a word there.' },
      most: {
        does: 'Half of them have a word there.',
        told: { says: 'have no start_time that can be read' },
      },
    },
    usual: 'none',
    strict: 'some',
    lenient: 'none',
    callsheet:
      'The column is empty. No window owns such a row, so it is written once and never called gone; a run ' +
      'that read every window says which were not shown. More than a few leave the run incomplete, and ' +
      'reports say first how many there are.',
  }),
}
