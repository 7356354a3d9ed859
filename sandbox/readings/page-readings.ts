import { defineReading } from './reading.ts'

/** Open questions about how lists continue and end, about expired tokens, and about too long ranges. */
export const PAGE_READINGS = {
  paging: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '3' },
    question: 'Does a page token pin the list, or is it a position in the current one?',
    variants: {
      snapshot: { does: 'It pins the list.' },
      'live-offset': {
        does: 'It is a position, so rows can slip between pages.',
      },
    },
    strict: 'live-offset',
    lenient: 'snapshot',
    callsheet: 'A row is marked as deleted only if a second read or a detail call confirms it.',
  }),
  invalidToken: defineReading({
    where: { document: 1, section: 'Errors', item: '6' },
    question: 'How is an expired bearer token refused?',
    variants: {
      '401': { does: '401 with code 124.' },
      '400/124': { does: '400 with code 124.' },
    },
    strict: '400/124',
    lenient: '401',
    callsheet: 'The token is renewed once and the call is sent again.',
  }),
  narrowing: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'Which end of a range that is too long is kept?',
    variants: {
      'keep-from': { does: 'Its first month.' },
      'keep-to': { does: 'Its last month.' },
    },
    strict: 'keep-to',
    lenient: 'keep-from',
    callsheet: 'No range is longer than a month. An answer with other bounds fails its slice.',
  }),
  lastToken: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '4' },
    question: 'What is the page token of the last page?',
    variants: {
      empty: { does: 'Empty text, as documented.' },
      null: { does: 'null.' },
      absent: { does: 'Nothing; the field is missing.' },
    },
    strict: 'empty',
    lenient: 'absent',
    callsheet: 'All three end the list.',
  }),
  listPages: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '5' },
    question: 'Do lists continue by page tokens, and do they end?',
    variants: {
      tokens: { does: 'Yes.' },
      numbers: {
        does: 'By page_number, with a page_count.',
      },
      repeats: {
        does: 'The last page always has a token, which returns it again.',
        told: { says: 'pages in a row contained no new record' },
      },
    },
    usual: 'tokens',
    strict: 'tokens',
    lenient: 'tokens',
    callsheet:
      'With a page_count above 1 and no token, pages are read by page_number, and each must ' +
      'return its number. If the first page does not say whether it is the last, page 2 is ' +
      'requested too; other records there fail the list. So do ten pages in a row without a new ' +
      'record.',
  }),
}
