import { defineReading } from './reading.ts'

/** The format of answers. */
export const FORM_READINGS = {
  emptyFields: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How does a record write a field that is empty?',
    variants: {
      mixed: { does: 'As each row has it: an empty text, null, or no field.' },
      null: { does: 'Always null.' },
      absent: { does: 'The field is left out.' },
      empty: { does: 'An empty text, whatever the type of the field is.' },
    },
    usual: 'mixed',
    strict: 'empty',
    lenient: 'null',
    callsheet: 'All are an empty column; an empty text in a column of text stays an empty text.',
  }),
  emptyLists: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How does a record write a list within it that is empty?',
    variants: {
      empty: { does: 'A list of nothing.' },
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
    question: 'What does the body of a refusal hold?',
    variants: {
      plain: { does: 'A code, a number or a text as the documents write it, and a message.' },
      text: { does: 'The code is always a text.' },
      nested: { does: 'Code and message stand within a field called error.' },
      wordless: { does: 'A code alone.' },
    },
    usual: 'plain',
    strict: 'wordless',
    lenient: 'plain',
    callsheet: 'The code is compared as a text wherever it stands; no message is relied upon.',
  }),
  answerHeaders: defineReading({
    where: { document: 1, section: 'What the service does', item: '1' },
    question: 'Which headers come with an answer?',
    variants: {
      all: { does: 'Date, a name for the request, and JSON as the type with its charset.' },
      few: { does: 'JSON as the type, and nothing else.' },
      untyped: { does: 'The type is text/plain, though the body is JSON.' },
    },
    usual: 'all',
    strict: 'untyped',
    lenient: 'all',
    callsheet: 'A body is JSON if it parses; our own clock stands in where no date comes.',
  }),
  envelope: defineReading({
    where: { document: 1, section: 'List users: GET {base_url}/users' },
    question: 'Are the fields of a list besides its records always there?',
    variants: {
      whole: { does: 'Every field that the documents name.' },
      bare: { does: 'The records and the page token alone.' },
      text: { does: 'The numbers among them come as texts.' },
    },
    usual: 'whole',
    strict: 'bare',
    lenient: 'whole',
    callsheet: 'Only the records and the page token are needed; what is told besides is compared.',
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
