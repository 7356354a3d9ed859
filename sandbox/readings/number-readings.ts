import { defineReading } from './reading.ts'

/** The `words` setting for a deployment with its own words. */
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

/** Open questions about the parameters of number management's lists, and about names of notifications. */
export const NUMBER_READINGS = {
  trunkProduct: defineReading({
    where: { document: 3, section: 'Settings', item: '22' },
    question: 'Does the list of SIP trunks need a product, as SIP groups do?',
    variants: {
      optional: { does: 'No, but it takes one.' },
      required: { does: 'Yes, it refuses calls without one.' },
      unknown: { does: 'It refuses calls with one.' },
      'first-only': {
        does: 'Without one it silently lists the first product’s trunks.',
      },
    },
    usual: 'optional',
    strict: 'unknown',
    lenient: 'optional',
    callsheet:
      'The list is read without a product and with each one. A refused way is left out. If only ' +
      'one product is refused, the list fails.',
  }),
  words: defineReading({
    where: { document: 1, section: 'Conventions', item: 'svc' },
    question: 'Which words does the service use for `svc` and for partners?',
    variants: {
      neutral: { does: 'Those of the documents.' },
      own: {
        does: 'Its own, in queries, bodies, event names and headers.',
        told: { says: 'accounts[].words', adopt: { account: { words: OWN_WORDS } } },
      },
    },
    usual: 'neutral',
    strict: 'own',
    lenient: 'neutral',
    callsheet:
      'The account’s `words` setting translates them. Tables, `apply` files and calls use the ' +
      'documents’ words; payloads stay as received. Without the setting, a refusal of such a word ' +
      'names it.',
  }),
  eventNames: defineReading({
    where: { document: 3, section: 'Events' },
    question: 'Are events named as in the list of events, or as in its examples?',
    variants: {
      listed: { does: 'As in the list.' },
      examples: { does: 'As in the examples.' },
    },
    usual: 'listed',
    strict: 'examples',
    lenient: 'listed',
    callsheet: 'Both are understood, for every event.',
  }),
}
