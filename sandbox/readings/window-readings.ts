import { defineReading } from './reading.ts'

/** What lists show for ranges of days, and from the trash. */
export const WINDOW_READINGS = {
  sessionWindows: defineReading({
    where: { document: 2, section: 'Sessions', item: '31' },
    question:
      'Is a month of session reports any range of that length or a calendar month, and which days count?',
    variants: {
      across: {
        does: 'Any range of a month at most is answered, its first and last day included, in UTC.',
      },
      'month-of-from': {
        does: 'Only what lies in the calendar month of the beginning is answered, without a word.',
      },
      'month-refused': { does: 'A range over the end of a calendar month is refused.' },
      'month-narrowed': {
        does: 'A range over the end of a month is cut there, and the answer says so.',
      },
      'half-open': { does: 'The last day is left out, unless it is today.' },
      exclusive: { does: 'The first and the last day are left out, unless the last is today.' },
      'month-half-open': {
        does: 'The last day is left out, and may be the first of the next month, but no later.',
      },
      'refused-half-open': {
        does: 'A range over the end of a month is refused, and the last day of one is left out.',
        told: { says: 'leaves out the last day of a range' },
      },
      'cut-exclusive': {
        does: 'A range is cut at the end of a month, without a word, and its first and last day left out.',
        told: { says: 'leaves out the first and the last day of a range' },
      },
      'another-zone': { does: 'Days are counted eight hours behind UTC.' },
      ignored: {
        does: 'The last month is answered, whatever is asked.',
        told: { says: 'outside of that' },
      },
    },
    usual: 'across',
    strict: 'month-of-from',
    lenient: 'across',
    callsheet:
      'Requests calendar months, and the four days around the end of each, which show what a month leaves ' +
      'out of its first and last day. If these are refused, or lack one of the two months, ranges that ' +
      'begin or end on a day with known rows show whether that day is left out; then three days on either ' +
      'side of the end of the month are requested. If these are refused or cut too, the run is incomplete ' +
      'and names the days, and no row is marked as deleted. A window whose rows lie mostly outside the ' +
      'requested range is not read.',
  }),
  sessionEcho: defineReading({
    where: { document: 2, section: 'Sessions', item: '31' },
    question: 'Does the list of session reports tell which range it answers?',
    variants: {
      told: { does: '`from` and `to` are as they were asked, or were cut.' },
      silent: { does: 'They are left out.' },
    },
    usual: 'told',
    strict: 'silent',
    lenient: 'told',
    callsheet:
      'A range other than the requested one fails the slice. If the answer contains none, the rows ' +
      'decide.',
  }),
  boardWindows: defineReading({
    where: { document: 2, section: 'Whiteboard list', item: '18' },
    question: 'Does the list of whiteboards know the dates between which it is asked for?',
    variants: {
      taken: { does: 'It takes from, to and which date they are of.' },
      ignored: { does: 'It does not heed them: all whiteboards are listed, whatever is asked.' },
      refused: { does: 'It refuses them, and lists all whiteboards.' },
    },
    usual: 'taken',
    strict: 'taken',
    lenient: 'taken',
    callsheet:
      'A window with rows from elsewhere raises the question. If the service gives the same answer for ' +
      'it, for a day long ago and for no window, the list is read as a whole, once per run. Nothing is ' +
      'marked as deleted that a second reading shows.',
  }),
  trash: defineReading({
    where: { document: 2, section: 'Recording session (video sessions)' },
    question: 'Can the list of recordings be asked for what is in the trash?',
    variants: {
      listed: { does: '`trash` and `trash_type` list the trash.' },
      unknown: {
        does: 'Both are ignored: the live recordings of the last month are listed.',
        told: { says: 'recordingTrash' },
      },
    },
    usual: 'listed',
    strict: 'listed',
    lenient: 'listed',
    callsheet:
      'A recording without a deletion time on any file is not in the trash: such an answer is not stored, ' +
      'and its list fails. With `recordingTrash: false` the account’s trash is not read.',
  }),
}
