import { defineReading } from './reading.ts'

/** Open questions about the spelling of values and field names. */
export const SPELLING_READINGS = {
  timeSpelling: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How is a time written?',
    variants: {
      mixed: { does: 'In several forms of ISO 8601.' },
      zulu: { does: 'In UTC with a Z.' },
      'epoch-seconds': { does: 'As seconds since 1970.' },
      'epoch-milliseconds': { does: 'As milliseconds since 1970.' },
      basic: { does: 'As ISO 8601 without separators (20261127T010203Z).' },
      http: { does: 'As in HTTP headers (RFC 1123).' },
      'day-end': {
        does: 'Midnight as 24:00:00 or 23:59:60 of the day before.',
      },
    },
    usual: 'mixed',
    strict: 'epoch-milliseconds',
    lenient: 'zulu',
    callsheet:
      'All are read as the same instant, also in keys. A record whose key has an unreadable time ' +
      'is quarantined.',
  }),
  booleanSpelling: defineReading({
    where: { document: 2, section: 'Resources and their fields' },
    question: 'How is a boolean written?',
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
    question: 'How is an integer written?',
    variants: {
      number: { does: 'As 5.' },
      decimal: { does: 'As 5.0.' },
      text: { does: 'As "5".' },
    },
    usual: 'number',
    strict: 'text',
    lenient: 'number',
    callsheet: 'All are read.',
  }),
  assignedToName: defineReading({
    where: { document: 3, section: 'Account phone number' },
    question: 'Which answers misspell the assignment’s name field?',
    variants: {
      detail: { does: 'The detail, as documented.' },
      both: { does: 'The list and the detail.' },
      neither: { does: 'None.' },
    },
    usual: 'detail',
    strict: 'both',
    lenient: 'neither',
    callsheet: 'Both spellings are read in both places.',
  }),
  listOfOne: defineReading({
    where: { document: 3, section: 'Ported-number order' },
    question: 'Is a list with one member a list?',
    variants: {
      list: { does: 'Yes.' },
      single: { does: 'No, it is that member.' },
    },
    usual: 'list',
    strict: 'single',
    lenient: 'list',
    callsheet: 'A single value is read as a list.',
  }),
}
