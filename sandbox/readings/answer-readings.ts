import { defineReading } from './reading.ts'

/** The fields around an answer's records. */
export const ANSWER_READINGS = {
  emptyPage: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '4' },
    question: 'How is a list written that has no records?',
    variants: {
      list: { does: 'As a list of nothing.' },
      null: { does: 'As null.' },
      object: { does: 'As an object of nothing.' },
      'no-content': {
        does: 'A first page of nothing is a 204 without a body.',
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
      'Null and an object of nothing are empty lists, unless a total says that there are records. A 204 ' +
      'may be a passing fault, too: it is an empty list if 204s of its kind still come a quarter of an ' +
      'hour later, and none of its kind ever came in a body.',
  }),
  successCode: defineReading({
    where: { document: 1, section: 'Errors', item: '6' },
    question: 'Does the answer of a list carry a code where nothing is wrong?',
    variants: {
      none: { does: 'It does not.' },
      zero: { does: 'The code 0, and a message.' },
      null: { does: 'A code and a message of null.' },
      '200': { does: 'The code 200, and success as the message.' },
    },
    usual: 'none',
    strict: '200',
    lenient: 'none',
    callsheet: 'The code is looked at before the list: these are successes, any other is an error.',
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
      'A number is sent by its digits. A refused token ends a list that has come to its total, or ' +
      'that ends at the same place in two passes with other pages, where it is refused again and again. ' +
      'Of pages that cannot be cut otherwise nobody can tell, so that such a list stays unfinished.',
  }),
  contentEncoding: defineReading({
    where: { document: 1, section: 'What the service does', item: '1' },
    question: 'Does the content-encoding of an answer name an encoding?',
    variants: {
      none: { does: 'There is none.' },
      nonsense: { does: 'It names the character set.' },
      plain: { does: 'It says gzip, and the body is plain.' },
    },
    usual: 'none',
    strict: 'plain',
    lenient: 'none',
    callsheet: 'A name that is no encoding’s says nothing; a body is what its first bytes show.',
  }),
  busy: defineReading({
    where: { document: 1, section: 'Errors', item: '3' },
    question: 'Which statuses say that a call is to be sent again?',
    variants: {
      none: { does: '429 alone.' },
      '408': { does: 'One call in forty is answered 408.' },
      '425': { does: 'One call in forty is answered 425.' },
    },
    usual: 'none',
    strict: '425',
    lenient: 'none',
    callsheet: 'Both are tried again, as are statuses from 500 on.',
  }),
  address: defineReading({
    where: { document: 1, section: 'Versioning', item: '1' },
    question: 'Does the API answer at the address that was once given out?',
    variants: {
      here: { does: 'It does.' },
      moved: {
        does: 'Every call is answered 308, with another address.',
        told: { says: 'set baseUrl to https://api.moved.example/v2' },
      },
    },
    usual: 'here',
    strict: 'here',
    lenient: 'here',
    callsheet: 'No redirect of the API is followed; the address that it names is told.',
  }),
}
