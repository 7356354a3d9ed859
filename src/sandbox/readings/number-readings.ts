import { defineReading } from './reading.ts'

/** How lists of number management are asked for, and how notifications are named. */
export const NUMBER_READINGS = {
  trunkProduct: defineReading({
    where: { document: 3, section: 'Settings', item: '22' },
    question: 'Do SIP trunks, as SIP groups, have to be asked for by their product?',
    variants: {
      optional: { does: 'A product may be named, and need not be.' },
      required: { does: 'Without a product the list is refused.' },
      unknown: { does: 'A product is refused as a parameter that there is not.' },
    },
    usual: 'optional',
    strict: 'unknown',
    lenient: 'optional',
    callsheet: 'No product is named at first, and each of them where that is refused.',
  }),
  eventNames: defineReading({
    where: { document: 3, section: 'Events' },
    question: 'Are events named as in the list of them, or as in examples of their kind?',
    variants: {
      listed: { does: 'A changed reservation is an update, and a visit names no invitation.' },
      examples: { does: 'A changed reservation is updated, and an invitation is checked in.' },
    },
    usual: 'listed',
    strict: 'examples',
    lenient: 'listed',
    callsheet: 'Both spellings are understood, of every event.',
  }),
}
