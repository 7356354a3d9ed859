import { defineReading } from './reading.ts'

/** How values and field names are spelled. */
export const SPELLING_READINGS = {
  timeSpelling: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How is a date-time spelled?',
    variants: {
      mixed: { does: 'In several forms of ISO 8601, with and without fractions and offsets.' },
      zulu: { does: 'All in UTC with a Z.' },
      'epoch-seconds': { does: 'As a number of seconds, with a fraction where there is one.' },
      'epoch-milliseconds': { does: 'As a number of milliseconds, where there is no finer digit.' },
      basic: { does: 'As ISO 8601 without separators: 20261127T010203Z.' },
      http: { does: 'As HTTP spells it (RFC 1123), where there is no fraction.' },
      'day-end': {
        does: 'Midnight as 24:00:00 of the day before, or as its second 23:59:60; all in UTC.',
      },
    },
    usual: 'mixed',
    strict: 'epoch-milliseconds',
    lenient: 'zulu',
    callsheet:
      'All valid spellings are read as the instant, and keys are built from it. A record with an ' +
      'unreadable time in its key is set aside.',
  }),
  booleanSpelling: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How is a boolean spelled?',
    variants: {
      boolean: { does: 'As true and false.' },
      digit: { does: 'As 1 and 0.' },
      'capital-text': { does: 'As "True" and "False".' },
    },
    usual: 'boolean',
    strict: 'capital-text',
    lenient: 'boolean',
    callsheet: 'All forms are read.',
  }),
  integerSpelling: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How is an integer spelled?',
    variants: {
      number: { does: 'As a number.' },
      decimal: { does: 'As a number with a point, as 5.0.' },
      text: { does: 'As its digits in a text.' },
    },
    usual: 'number',
    strict: 'text',
    lenient: 'number',
    callsheet: 'All forms are read.',
  }),
  assignedToName: defineReading({
    where: { document: 3, section: 'Account phone number' },
    question: 'Which answers misspell an assignment’s name field?',
    variants: {
      detail: { does: 'Only the detail, as documented.' },
      both: { does: 'The list and the detail.' },
      neither: { does: 'None of them.' },
    },
    usual: 'detail',
    strict: 'both',
    lenient: 'neither',
    callsheet: 'Both spellings are read in both places.',
  }),
  listOfOne: defineReading({
    where: { document: 3, section: 'Ported-number order' },
    question: 'Is a list with one member returned as a list?',
    variants: {
      list: { does: 'Always.' },
      single: { does: 'No, as its only member.' },
    },
    usual: 'list',
    strict: 'single',
    lenient: 'list',
    callsheet: 'A single value is read as a list.',
  }),
}
