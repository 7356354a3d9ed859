import { defineReading } from './reading.ts'

/** The fields around an answer's records. */
export const ANSWER_READINGS = {
  emptyPage: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '4' },
    question: 'How is an empty list returned?',
    variants: {
      list: { does: 'As an empty list.' },
      null: { does: 'As null.' },
      object: { does: 'As an empty object.' },
      'no-content': {
        does: 'An empty first page is a 204 without a body.',
        told: {
          says: 'a list that is answered with 204 for so long is empty',
          passesMs: 1_200_000,
        },
      },
    },
    usual: 'list',
    strict: 'no-content',
    lenient: 'list',
    callsheet:
      'Null and an empty object are empty lists, unless a total says that there are records. A 204 may be ' +
      'a passing fault, so it counts as an empty list only if such calls still return 204 after 15 ' +
      'minutes, and none of them ever returned a body.',
  }),
  successCode: defineReading({
    where: { document: 1, section: 'Errors', item: '6' },
    question: 'Does the answer of a successful list contain a code?',
    variants: {
      none: { does: 'No.' },
      zero: { does: 'The code 0, and a message.' },
      null: { does: 'A code and a message of null.' },
      '200': { does: 'The code 200, and success as the message.' },
    },
    usual: 'none',
    strict: '200',
    lenient: 'none',
    callsheet: 'The code is checked first: these codes mean success, any other is an error.',
  }),
  pageTokens: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '2' },
    question: 'Of what type is a page token, and does the last page have one?',
    variants: {
      text: { does: 'A text, and the last page has none.' },
      number: { does: 'A number, and the last page has false.' },
      'last-refused': {
        does: 'A text with the last page as well, which is refused when it is sent.',
      },
    },
    usual: 'text',
    strict: 'last-refused',
    lenient: 'text',
    callsheet:
      'A number is sent by its digits. A refused token ends a list that has reached its total, or that ' +
      'ends at the same place in two passes with different pages, with repeated refusals. If the pages ' +
      'cannot be cut differently, the list stays incomplete.',
  }),
  contentEncoding: defineReading({
    where: { document: 1, section: 'What the service does', item: '1' },
    question: 'Is the content-encoding header of an answer correct?',
    variants: {
      none: { does: 'There is none.' },
      nonsense: { does: 'It names the character set.' },
      plain: { does: 'It says gzip, but the body is plain.' },
    },
    usual: 'none',
    strict: 'plain',
    lenient: 'none',
    callsheet: 'Unknown names are ignored; the first bytes of the body decide.',
  }),
  busy: defineReading({
    where: { document: 1, section: 'Errors', item: '3' },
    question: 'Which statuses mean that a call should be sent again?',
    variants: {
      none: { does: '429 alone.' },
      '408': { does: 'One call in forty is answered 408.' },
      '425': { does: 'One call in forty is answered 425.' },
    },
    usual: 'none',
    strict: '425',
    lenient: 'none',
    callsheet: 'Both are retried, as are statuses from 500 on.',
  }),
  address: defineReading({
    where: { document: 1, section: 'Versioning', item: '1' },
    question: 'Does the API answer at the configured address?',
    variants: {
      here: { does: 'Yes.' },
      moved: {
        does: 'Every call returns 308 with another address.',
        told: { says: 'set baseUrl to https://api.moved.example/v2' },
      },
    },
    usual: 'here',
    strict: 'here',
    lenient: 'here',
    callsheet: 'No redirect of the API is followed; its target is reported.',
  }),
}
