import { defineReading } from './reading.ts'

/** The parameters of lists. */
export const ASK_READINGS = {
  pageSizeAbove: defineReading({
    where: { document: 1, section: 'Limits', item: '2' },
    question: 'What becomes of a page_size above the maximum of a list, and how large is that?',
    variants: {
      clamped: { does: 'The largest page that the documents know of a list is sent.' },
      refused: { does: 'No page is larger than 50, and a larger page_size is refused with 400.' },
      unheeded: { does: 'page_size is not heeded: all records come in one page.' },
    },
    usual: 'clamped',
    strict: 'refused',
    lenient: 'clamped',
    callsheet:
      'A refused size is halved until it is taken, and what works is remembered; a page may hold 20 ' +
      'times the size that the documents know, and of more the stream fails.',
  }),
  activityBounds: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '3' },
    question: 'Does the list of a session’s activities take from and to?',
    variants: {
      taken: { does: 'It does, and shows those of today alone where neither is sent.' },
      refused: { does: 'It refuses both, and shows all.' },
    },
    usual: 'taken',
    strict: 'refused',
    lenient: 'taken',
    callsheet:
      'They are sent, and left out for good where the lists of two sessions refuse them, each twice.',
  }),
  futureTo: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'Is an end in the future reset on every list that takes one?',
    variants: {
      reset: { does: 'It becomes the present.' },
      refused: { does: 'It is refused with 400.' },
    },
    usual: 'reset',
    strict: 'refused',
    lenient: 'reset',
    callsheet: 'A range that is refused for it ends at the present, by the clock of the service.',
  }),
  echoes: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'How does an answer write the bounds that it was asked for?',
    variants: {
      same: { does: 'As they were sent.' },
      millis: { does: 'As instants with milliseconds.' },
      offset: { does: 'As instants two hours east of UTC.' },
      epoch: { does: 'As milliseconds of the epoch.' },
    },
    usual: 'same',
    strict: 'epoch',
    lenient: 'same',
    callsheet: 'Bounds are compared as instants, or as days where days were asked for.',
  }),
}
