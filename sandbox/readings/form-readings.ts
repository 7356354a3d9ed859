import { defineReading } from './reading.ts'

/** Open questions about the format of answers, and about the bounds of ranges. */
export const FORM_READINGS = {
  emptyFields: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How is an empty field returned?',
    variants: {
      mixed: { does: 'As "", null or not at all, row by row.' },
      null: { does: 'As null.' },
      absent: { does: 'Not at all.' },
      empty: { does: 'As "", whatever its type.' },
    },
    usual: 'mixed',
    strict: 'empty',
    lenient: 'null',
    callsheet: 'The column is empty. In a text column, "" stays "".',
  }),
  emptyLists: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How is an empty list in a record returned?',
    variants: {
      empty: { does: 'As [].' },
      null: { does: 'As null.' },
      absent: { does: 'Not at all.' },
    },
    usual: 'empty',
    strict: 'absent',
    lenient: 'empty',
    callsheet: 'All mean no child rows and an empty column.',
  }),
  errorBody: defineReading({
    where: { document: 1, section: 'Errors', item: '6' },
    question: 'What does an error’s body contain?',
    variants: {
      plain: { does: 'A code (number or text) and a message.' },
      text: { does: 'A code that is always text, and a message.' },
      nested: { does: 'An error field with code and message.' },
      wordless: { does: 'Only a code.' },
    },
    usual: 'plain',
    strict: 'wordless',
    lenient: 'plain',
    callsheet: 'Codes are compared as text, in either place. Messages are not relied on.',
  }),
  answerHeaders: defineReading({
    where: { document: 1, section: 'What the service does', item: '1' },
    question: 'Which headers does an answer have?',
    variants: {
      all: { does: 'Date, request ID and content type.' },
      few: { does: 'Only the content type.' },
      untyped: { does: 'The content type text/plain, although the body is JSON.' },
    },
    usual: 'all',
    strict: 'untyped',
    lenient: 'all',
    callsheet: 'A body is JSON if it parses. Without a date, the local clock is used.',
  }),
  envelope: defineReading({
    where: { document: 1, section: 'List users: GET {base_url}/users' },
    question: 'Does a list have its other documented fields?',
    variants: {
      whole: { does: 'Yes.' },
      bare: { does: 'No, only the records and the page token.' },
      text: { does: 'Yes, with numbers as text.' },
    },
    usual: 'whole',
    strict: 'bare',
    lenient: 'whole',
    callsheet:
      'Only the records and the page token are needed. Other fields are checked if present.',
  }),
  archiveBounds: defineReading({
    where: { document: 2, section: 'Archived whiteboard session' },
    question: 'Which archived sessions belong to a range?',
    variants: {
      exclusive: { does: 'Those that begin and end inside it.' },
      start: { does: 'Those that begin in it, bounds included.' },
    },
    usual: 'exclusive',
    strict: 'exclusive',
    lenient: 'start',
    callsheet: 'Ranges overlap by more than the longest session on both sides.',
  }),
  recordingBounds: defineReading({
    where: { document: 2, section: 'Video session recordings', item: '25' },
    question: 'Do the first and last day belong to a range?',
    variants: {
      included: { does: 'Both do.' },
      'to-excluded': { does: 'The last does not.' },
      excluded: { does: 'Neither does.' },
    },
    usual: 'included',
    strict: 'excluded',
    lenient: 'included',
    callsheet: 'A day more is requested on both sides.',
  }),
}
