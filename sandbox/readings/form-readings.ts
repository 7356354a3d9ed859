import { defineReading } from './reading.ts'

/** The format of answers. */
export const FORM_READINGS = {
  emptyFields: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How does a record return an empty field?',
    variants: {
      mixed: { does: 'Differently in each row: an empty text, null, or no field.' },
      null: { does: 'Always null.' },
      absent: { does: 'The field is left out.' },
      empty: { does: 'An empty text, whatever the type of the field is.' },
    },
    usual: 'mixed',
    strict: 'empty',
    lenient: 'null',
    callsheet: 'The column is empty in each case; an empty text stays one in a text column.',
  }),
  emptyLists: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How does a record return an empty list?',
    variants: {
      empty: { does: 'An empty list.' },
      null: { does: 'null.' },
      absent: { does: 'The field is left out.' },
    },
    usual: 'empty',
    strict: 'absent',
    lenient: 'empty',
    callsheet: 'No child rows, and an empty column, in each case.',
  }),
  errorBody: defineReading({
    where: { document: 1, section: 'Errors', item: '6' },
    question: 'What does the body of an error contain?',
    variants: {
      plain: { does: 'A code, a number or a text as the documents write it, and a message.' },
      text: { does: 'The code is always a text.' },
      nested: { does: 'Code and message are in a field called error.' },
      wordless: { does: 'Only a code.' },
    },
    usual: 'plain',
    strict: 'wordless',
    lenient: 'plain',
    callsheet: 'The code is compared as a text wherever it stands; no message is relied upon.',
  }),
  answerHeaders: defineReading({
    where: { document: 1, section: 'What the service does', item: '1' },
    question: 'Which headers does an answer have?',
    variants: {
      all: { does: 'Date, a name for the request, and JSON as the type with its charset.' },
      few: { does: 'JSON as the type, and nothing else.' },
      untyped: { does: 'The type is text/plain, though the body is JSON.' },
    },
    usual: 'all',
    strict: 'untyped',
    lenient: 'all',
    callsheet: 'A body is JSON if it parses; without a date our own clock is used.',
  }),
  envelope: defineReading({
    where: { document: 1, section: 'List users: GET {base_url}/users' },
    question: 'Does a list always have its other fields?',
    variants: {
      whole: { does: 'Yes, every documented field.' },
      bare: { does: 'Only the records and the page token.' },
      text: { does: 'Numbers are returned as text.' },
    },
    usual: 'whole',
    strict: 'bare',
    lenient: 'whole',
    callsheet:
      'Only the records and the page token are needed; other fields are compared if present.',
  }),
  archiveBounds: defineReading({
    where: { document: 2, section: 'Archived whiteboard session' },
    question: 'Does a session belong to a range whose bound it touches?',
    variants: {
      exclusive: { does: 'It begins after the range begins, and ends before it ends.' },
      start: { does: 'It begins within the range, bounds included, whenever it ends.' },
    },
    usual: 'exclusive',
    strict: 'exclusive',
    lenient: 'start',
    callsheet: 'Ranges overlap by more than the longest session on both sides.',
  }),
  recordingBounds: defineReading({
    where: { document: 2, section: 'Video session recordings', item: '25' },
    question: 'Do both days of a range belong to it?',
    variants: {
      included: { does: 'Both do.' },
      'to-excluded': { does: 'The last day does not.' },
      excluded: { does: 'Neither does.' },
    },
    usual: 'included',
    strict: 'excluded',
    lenient: 'included',
    callsheet: 'A range is asked for with a day more on both sides.',
  }),
}
