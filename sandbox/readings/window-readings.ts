import { defineReading } from './reading.ts'

/** Open questions about lists for ranges of days, and about the trash. */
export const WINDOW_READINGS = {
  sessionWindows: defineReading({
    where: { document: 2, section: 'Sessions', item: '31' },
    question: 'Which ranges of session reports are answered, and do the first and last day count?',
    variants: {
      across: {
        does: 'Any range up to a month; both days count, in UTC.',
      },
      'month-of-from': {
        does: 'A range is silently cut at the end of its first calendar month.',
      },
      'month-refused': { does: 'A range across a month’s end is refused.' },
      'month-narrowed': {
        does: 'A range across a month’s end is cut, and the answer says so.',
      },
      'half-open': { does: 'The last day does not count, unless it is today.' },
      exclusive: { does: 'Neither day counts, unless the last is today.' },
      'month-half-open': {
        does: 'The last day does not count, and can be the first of the next month.',
      },
      'refused-half-open': {
        does: 'A range across a month’s end is refused, and the last day does not count.',
        told: { says: 'leaves out the last day of a range' },
      },
      'cut-exclusive': {
        does: 'A range is silently cut at a month’s end, and neither day counts.',
        told: { says: 'leaves out the first and the last day of a range' },
      },
      'another-zone': { does: 'Days are eight hours behind UTC.' },
      ignored: {
        does: 'The last month is returned, whatever is requested.',
        told: { says: 'outside this range' },
      },
    },
    usual: 'across',
    strict: 'month-of-from',
    lenient: 'across',
    callsheet:
      'Calendar months are requested, and the four days around each month’s end, which show ' +
      'whether a month leaves out its first or last day. If those are refused or cut, shorter ' +
      'ranges with known rows decide. If they are refused or cut too, the run is incomplete and ' +
      'names the days, and no row is marked as deleted. A window whose rows lie mostly outside ' +
      'the range is not read.',
  }),
  sessionEcho: defineReading({
    where: { document: 2, section: 'Sessions', item: '31' },
    question: 'Does the list of session reports state its range?',
    variants: {
      told: { does: 'Yes.' },
      silent: { does: 'No.' },
    },
    usual: 'told',
    strict: 'silent',
    lenient: 'told',
    callsheet:
      'A range other than the requested one fails the slice. Without one, the rows decide.',
  }),
  boardWindows: defineReading({
    where: { document: 2, section: 'Whiteboard list', item: '18' },
    question: 'Does the list of whiteboards accept a range of dates?',
    variants: {
      taken: { does: 'Yes.' },
      ignored: { does: 'It ignores it and lists all.' },
      refused: { does: 'It refuses it, but lists all without one.' },
    },
    usual: 'taken',
    strict: 'taken',
    lenient: 'taken',
    callsheet:
      'If a window contains rows from elsewhere, the list is requested for a day long ago and ' +
      'without a window. If all three are the same, it is read as a whole, once per run.',
  }),
  trash: defineReading({
    where: { document: 2, section: 'Recording session (video sessions)' },
    question: 'Can the list of recordings show the trash?',
    variants: {
      listed: { does: 'Yes, with `trash` and `trash_type`.' },
      unknown: {
        does: 'No, it lists the live recordings of the last month.',
        told: { says: 'recordingTrash' },
      },
    },
    usual: 'listed',
    strict: 'listed',
    lenient: 'listed',
    callsheet:
      'A recording without a deletion time is not in the trash, so its list fails and nothing is ' +
      'stored. `recordingTrash: false` stops reading the trash.',
  }),
}
