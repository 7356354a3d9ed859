import { defineReading } from './reading.ts'

/** Open questions about the parameters of lists. */
export const ASK_READINGS = {
  pageSizeAbove: defineReading({
    where: { document: 1, section: 'Limits', item: '2' },
    question: 'What happens to a page_size above the maximum?',
    variants: {
      clamped: { does: 'The page has the maximum size.' },
      refused: { does: '400, and the maximum is only 50.' },
      unheeded: { does: 'It is ignored: one page has all records.' },
    },
    usual: 'clamped',
    strict: 'refused',
    lenient: 'clamped',
    callsheet:
      'A refused size is halved until it is accepted, and then remembered. A page with more than ' +
      '20 times the documented maximum fails the stream.',
  }),
  activityBounds: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '3' },
    question: 'Does the list of a session’s activities accept from and to?',
    variants: {
      taken: { does: 'Yes, and without them it shows only today’s.' },
      refused: { does: 'No, it refuses both, and shows all.' },
    },
    usual: 'taken',
    strict: 'refused',
    lenient: 'taken',
    callsheet: 'They are sent until the lists of two sessions have refused them twice each.',
  }),
  futureTo: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'Do lists accept an end in the future?',
    variants: {
      reset: { does: 'Yes, it is replaced by the present.' },
      refused: { does: 'No, with 400.' },
    },
    usual: 'reset',
    strict: 'refused',
    lenient: 'reset',
    callsheet:
      'A range never ends in the future. After a refusal, the service’s clock decides, not ours.',
  }),
  echoes: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '1' },
    question: 'How does an answer repeat the requested bounds?',
    variants: {
      same: { does: 'As sent.' },
      millis: { does: 'With milliseconds.' },
      offset: { does: 'With an offset of two hours.' },
      epoch: { does: 'As milliseconds since 1970.' },
    },
    usual: 'same',
    strict: 'epoch',
    lenient: 'same',
    callsheet: 'Bounds are compared as instants, or as days if days were requested.',
  }),
}
