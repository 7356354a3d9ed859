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
        does: 'A token is a place in whatever is there now, so that rows can slip.',
      },
    },
    strict: 'live-offset',
    lenient: 'snapshot',
    callsheet: 'Nothing is deleted that a second reading, or a detail call, does not confirm.',
  }),
  invalidToken: defineReading({
    where: { document: 1, section: 'Errors', item: '6' },
    question: 'How is a bearer refused that is no longer good?',
    variants: {
      '401': { does: 'Status 401 with code 124.' },
      '400/124': { does: 'Status 400 with code 124.' },
    },
    strict: '400/124',
    lenient: '401',
    callsheet: 'Both renew the token once and send the call again.',
  }),
  narrowing: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'Which end of too long a window is kept?',
    variants: {
      'keep-from': { does: 'The end is moved back to a month after the beginning.' },
      'keep-to': { does: 'The beginning is moved on to a month before the end.' },
    },
    strict: 'keep-to',
    lenient: 'keep-from',
    callsheet: 'No window is longer than a month, and an echo of other bounds fails its slice.',
  }),
  lastToken: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '4' },
    question: 'What stands for the page token on the last page?',
    variants: {
      empty: { does: 'An empty text, as the documents say.' },
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
      tokens: { does: 'Every list has tokens, and ends.' },
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
      'A page_count above 1 without a token is read by page_number, each page of which must answer for its ' +
      'number. Page 2 is asked for after a first page that says nothing of its end; the list fails if ' +
      'that shows other records. Ten pages in a row that show nothing new end a list, which fails.',
  }),
}
