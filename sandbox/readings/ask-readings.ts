import { defineReading } from './reading.ts'

/** The parameters of lists. */
export const ASK_READINGS = {
  pageSizeAbove: defineReading({
    where: { document: 1, section: 'Limits', item: '2' },
    question: 'What happens to a page_size above the maximum, and how large is that?',
    variants: {
      clamped: { does: 'The largest documented page is returned.' },
      refused: { does: 'No page is larger than 50, and a larger page_size is refused with 400.' },
      unheeded: { does: 'page_size is ignored: one page has all records.' },
    },
    usual: 'clamped',
    strict: 'refused',
    lenient: 'clamped',
    callsheet:
      'A refused size is halved until it is accepted, and the accepted size is remembered. A page may ' +
      'have up to 20 times the documented maximum; beyond that the stream fails.',
  }),
  activityBounds: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '3' },
    question: 'Does the list of a session’s activities accept from and to?',
    variants: {
      taken: { does: 'Yes; without them it shows only those of today.' },
      refused: { does: 'It refuses both, and shows all.' },
    },
    usual: 'taken',
    strict: 'refused',
    lenient: 'taken',
    callsheet:
      'They are sent, and left out from then on if the lists of two sessions refuse them twice each.',
  }),
  futureTo: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'Is a future end accepted by every list?',
    variants: {
      reset: { does: 'It becomes the present.' },
      refused: { does: 'It is refused with 400.' },
    },
    usual: 'reset',
    strict: 'refused',
    lenient: 'reset',
    callsheet: 'After such a refusal the range ends now, by the service’s clock.',
  }),
  echoes: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'How does an answer return the requested bounds?',
    variants: {
      same: { does: 'As they were sent.' },
      millis: { does: 'As instants with milliseconds.' },
      offset: { does: 'As instants two hours east of UTC.' },
      epoch: { does: 'As milliseconds of the epoch.' },
    },
    usual: 'same',
    strict: 'epoch',
    lenient: 'same',
    callsheet: 'Bounds are compared as instants, or as days if days were requested.',
  }),
}
