import { defineReading } from './reading.ts'

/** The `words` setting that a deployment with its own words needs. */
const OWN_WORDS = {
  svc: 'acme',
  SvcReserved: 'AcmeHeld',
  PartnerRoom: 'HarbourRoom',
  PartnerResourceAccount: 'HarbourResourceAccount',
  'svcroom.delayed_alert': 'acmeroom.late_alert',
  'x-svc-trackingid': 'x-ac-trackingid',
  'x-svc-signature': 'x-ac-signature',
  'x-svc-request-timestamp': 'x-ac-request-timestamp',
}

/** Parameters of number management's lists, and names of notifications. */
export const NUMBER_READINGS = {
  trunkProduct: defineReading({
    where: { document: 3, section: 'Settings', item: '22' },
    question: 'Do SIP trunks, as SIP groups, have to be asked for by their product?',
    variants: {
      optional: { does: 'A product may be named, and need not be.' },
      required: { does: 'Without a product the list is refused.' },
      unknown: { does: 'A product is refused as a parameter that there is not.' },
      'first-only': {
        does: 'Without a product the trunks of the first one are listed, and no word said.',
      },
    },
    usual: 'optional',
    strict: 'unknown',
    lenient: 'optional',
    callsheet:
      'The list is read without a product and for each of them. A refused way is left out; if only one ' +
      'product is refused, the list fails.',
  }),
  words: defineReading({
    where: { document: 1, section: 'Conventions', item: 'svc' },
    question:
      'The documents write svc wherever the service names itself, and partners where it names others. ' +
      'Which words does it use?',
    variants: {
      neutral: { does: 'Those of the documents.' },
      own: {
        does:
          'Its own alone: in queries, bodies, answers, names of events and of headers. Most are made by ' +
          'one rule, some are not.',
        told: { says: 'accounts[].words', adopt: { account: { words: OWN_WORDS } } },
      },
    },
    usual: 'neutral',
    strict: 'own',
    lenient: 'neutral',
    callsheet:
      'The account’s `words` setting maps them: the warehouse, desired-state files and calls use the ' +
      'documents’ words, payloads keep the original ones. Without it, a refusal of such a word names the ' +
      'setting.',
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
