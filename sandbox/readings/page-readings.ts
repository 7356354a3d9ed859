import { defineReading } from './reading.ts'

/** How lists continue and end. */
export const PAGE_READINGS = {
  paging: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '3' },
    question:
      'Does a page token stand for the list as it was, or for a place in the list as it is?',
    variants: {
      snapshot: { does: 'A token pins the list as its first page found it.' },
      'live-offset': {
        does: 'A token is a position in the present list, so rows can slip.',
      },
    },
    strict: 'live-offset',
    lenient: 'snapshot',
    callsheet:
      'Nothing is marked as deleted unless a second reading, or a detail call, confirms it.',
  }),
  invalidToken: defineReading({
    where: { document: 1, section: 'Errors', item: '6' },
    question: 'How is an expired bearer token refused?',
    variants: {
      '401': { does: 'Status 401 with code 124.' },
      '400/124': { does: 'Status 400 with code 124.' },
    },
    strict: '400/124',
    lenient: '401',
    callsheet: 'After either, the token is renewed once and the call is sent again.',
  }),
  narrowing: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'Which end of a too long window is kept?',
    variants: {
      'keep-from': { does: 'The beginning: the window ends a month after it.' },
      'keep-to': { does: 'The end: the window begins a month before it.' },
    },
    strict: 'keep-to',
    lenient: 'keep-from',
    callsheet: 'No window is longer than a month, and an answer with other bounds fails its slice.',
  }),
  lastToken: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '4' },
    question: 'What is the page token of the last page?',
    variants: {
      empty: { does: 'An empty text, as documented.' },
      null: { does: 'null.' },
      absent: { does: 'The field is left out.' },
    },
    strict: 'empty',
    lenient: 'absent',
    callsheet: 'All three end the list.',
  }),
  listPages: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '5' },
    question: 'Which lists go on by page numbers, and does each list end?',
    variants: {
      tokens: { does: 'All use tokens, and end.' },
      numbers: {
        does: 'No list has tokens: each tells its page_count, and is asked for by page_number.',
      },
      repeats: {
        does: 'The last page of every list has a token, by which it comes again, with a new token.',
        told: { says: 'pages in a row that show no record that was not shown before' },
      },
    },
    usual: 'tokens',
    strict: 'tokens',
    lenient: 'tokens',
    callsheet:
      'If page_count is above 1 and there is no token, pages are read by page_number, and each must ' +
      'return its number. If the first page says nothing about its end, page 2 is requested too; the list ' +
      'fails if that shows other records. A list also fails after ten consecutive pages without a new ' +
      'record.',
  }),
}
