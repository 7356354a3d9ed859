import { defineReading } from './reading.ts'

/** Open questions about answers, except for their records. */
export const ANSWER_READINGS = {
  emptyPage: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '4' },
    question: 'How is an empty list returned?',
    variants: {
      list: { does: 'As [].' },
      null: { does: 'As null.' },
      object: { does: 'As {}.' },
      'no-content': {
        does: 'An empty first page is a 204 without a body.',
        told: {
          says: 'if the answer is 204 again, the list counts as empty',
          passesMs: 1_200_000,
        },
      },
    },
    usual: 'list',
    strict: 'no-content',
    lenient: 'list',
    callsheet:
      'null and {} are empty lists unless a total says otherwise. A 204 may be a passing fault, ' +
      'so it counts as an empty list only if such calls still return 204 after 15 minutes and ' +
      'none ever returned a body.',
  }),
  successCode: defineReading({
    where: { document: 1, section: 'Errors', item: '6' },
    question: 'Does a successful answer contain a code?',
    variants: {
      none: { does: 'No.' },
      zero: { does: 'The code 0 and a message.' },
      null: { does: 'A null code and a null message.' },
      '200': { does: 'The code 200 and the message "success".' },
    },
    usual: 'none',
    strict: '200',
    lenient: 'none',
    callsheet: 'These codes mean success; any other is an error.',
  }),
  pageTokens: defineReading({
    where: { document: 1, section: 'Pagination rules', item: '2' },
    question: 'What type is a page token, and does the last page have one?',
    variants: {
      text: { does: 'Text; the last page has none.' },
      number: { does: 'A number; the last page has false.' },
      'last-refused': {
        does: 'Text, also on the last page, but that token is refused.',
      },
    },
    usual: 'text',
    strict: 'last-refused',
    lenient: 'text',
    callsheet:
      'A number is sent as its digits. A refused token ends a list that has reached its total, or ' +
      'that two passes with different page sizes end at the same place. Otherwise the list is ' +
      'incomplete.',
  }),
  contentEncoding: defineReading({
    where: { document: 1, section: 'What the service does', item: '1' },
    question: 'Is the content-encoding header correct?',
    variants: {
      none: { does: 'There is none.' },
      nonsense: { does: 'It names a character set.' },
      plain: { does: 'It says gzip, but the body is plain.' },
    },
    usual: 'none',
    strict: 'plain',
    lenient: 'none',
    callsheet: 'Unknown names are ignored. The first bytes of the body decide.',
  }),
  busy: defineReading({
    where: { document: 1, section: 'Errors', item: '3' },
    question: 'Which statuses mean "try again"?',
    variants: {
      none: { does: 'Only 429.' },
      '408': { does: '408 too, for one call in forty.' },
      '425': { does: '425 too, for one call in forty.' },
    },
    usual: 'none',
    strict: '425',
    lenient: 'none',
    callsheet: 'Both are retried, and so is every status from 500 on.',
  }),
  address: defineReading({
    where: { document: 1, section: 'Versioning', item: '1' },
    question: 'Does the API answer at the configured URL?',
    variants: {
      here: { does: 'Yes.' },
      moved: {
        does: 'It answers 308 with another URL.',
        told: { says: 'set baseUrl to https://api.moved.example/v2' },
      },
    },
    usual: 'here',
    strict: 'here',
    lenient: 'here',
    callsheet: 'Redirects of the API are not followed. The error names the target.',
  }),
}
