import { defineReading, type Variant } from './reading.ts'

const once: Variant = { does: 'None.' }
const slash: Variant = { does: 'Those with a slash.' }
const reserved: Variant = { does: 'Those with a slash, a plus or a percent sign.' }
const twice: Variant = { does: 'All.' }
const either: Variant = { does: 'Either is accepted.' }
const oddSlashes: Variant = {
  does: 'Those that begin with a plus or slash, or contain two slashes, as documented.',
}

const callsheet =
  'As documented, otherwise once. An ID that is not found is also tried the other way before it counts ' +
  'as missing.'

/**
 * Open questions about the characters of IDs and their encoding in paths: a wrongly encoded ID is another ID,
 * or no path.
 */
export const ID_READINGS = {
  idForms: defineReading({
    where: { document: 2, section: 'Session report item' },
    question: 'Which characters can an ID have that is not a session’s?',
    variants: {
      plain: { does: 'Letters, digits, - and _.' },
      odd: { does: 'Also slashes, plus and percent signs, even at the start.' },
    },
    usual: 'plain',
    strict: 'odd',
    lenient: 'plain',
    callsheet: 'An ID can be any text.',
  }),
  recordingIds: defineReading({
    where: { document: 2, section: 'Session report item' },
    question: 'Which session IDs are encoded twice in recording paths?',
    variants: { 'odd-slashes': oddSlashes, once, slash, reserved, either },
    usual: 'odd-slashes',
    strict: 'odd-slashes',
    lenient: 'either',
    callsheet,
  }),
  whiteboardIds: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '3' },
    question: 'Which whiteboard, whiteboard-session and label IDs are encoded twice?',
    variants: { once, slash, twice, either },
    usual: 'once',
    strict: 'once',
    lenient: 'either',
    callsheet,
  }),
  otherIds: defineReading({
    where: { document: 3, section: 'Account numbers', item: '10' },
    question: 'Which IDs of users, numbers, orders, policies and files are encoded twice?',
    variants: { once, reserved, twice, either },
    usual: 'once',
    strict: 'once',
    lenient: 'either',
    callsheet,
  }),
}
