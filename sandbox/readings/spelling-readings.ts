import { defineReading } from './reading.ts'

/** How values and field names are spelled. */
export const SPELLING_READINGS = {
  timeSpelling: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How is a date-time spelled?',
    variants: {
      mixed: { does: 'In several ways of ISO 8601, with and without fractions and offsets.' },
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
      'All legal spellings are read as the instant, and keys are made of that. A key whose instant cannot ' +
      'be read is set aside: it is no other key.',
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
    callsheet: 'All are read.',
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
    callsheet: 'All are read.',
  }),
  assignedToName: defineReading({
    where: { document: 3, section: 'Account phone number' },
    question: 'Which answers misspell the name of an assignment?',
    variants: {
      detail: { does: 'The detail alone, as documented.' },
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
    question: 'Is what comes of a list with one member a list?',
    variants: {
      list: { does: 'Always a list.' },
      single: { does: 'A list of one comes as its member.' },
    },
    usual: 'list',
    strict: 'single',
    lenient: 'list',
    callsheet: 'A single value is read as the list of it.',
  }),
}
