import { defineReading, type Variant } from './reading.ts'

const once: Variant = { does: 'Once, whatever they hold.' }
const slash: Variant = { does: 'Twice where they hold a slash, as those of created sessions.' }
const reserved: Variant = {
  does: 'Twice where they hold a slash, a plus or a percent sign, as a front door decodes once more.',
}
const twice: Variant = { does: 'Always twice.' }
const either: Variant = { does: 'Both are taken.' }
const oddSlashes: Variant = {
  does: 'Twice where they begin with a plus or a slash, or hold two, as of session reports.',
}

const callsheet =
  'As documented, otherwise once. An ID that is not found is also requested the other way, with one ' +
  'more call, before it counts as missing.'

/** The characters of IDs, and their encoding in paths: a wrongly encoded ID is another ID, or no path. */
export const ID_READINGS = {
  idForms: defineReading({
    where: { document: 2, section: 'Session report item' },
    question: 'Which characters may an ID hold that is none of a session?',
    variants: {
      plain: { does: 'Letters, digits, - and _.' },
      odd: { does: 'Slashes, pluses and percent signs too, at the beginning as well.' },
    },
    usual: 'plain',
    strict: 'odd',
    lenient: 'plain',
    callsheet: 'An ID may be any text.',
  }),
  recordingIds: defineReading({
    where: { document: 2, section: 'Session report item' },
    question: 'Which IDs of sessions are encoded twice in the paths of their recordings?',
    variants: { 'odd-slashes': oddSlashes, once, slash, reserved, either },
    usual: 'odd-slashes',
    strict: 'odd-slashes',
    lenient: 'either',
    callsheet,
  }),
  whiteboardIds: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '3' },
    question: 'Which IDs of whiteboards, their sessions and labels are encoded twice in paths?',
    variants: { once, slash, twice, either },
    usual: 'once',
    strict: 'once',
    lenient: 'either',
    callsheet,
  }),
  otherIds: defineReading({
    where: { document: 3, section: 'Account numbers', item: '10' },
    question:
      'Which other IDs are encoded twice in paths: of users, numbers, orders, policies, files?',
    variants: { once, reserved, twice, either },
    usual: 'once',
    strict: 'once',
    lenient: 'either',
    callsheet,
  }),
}
