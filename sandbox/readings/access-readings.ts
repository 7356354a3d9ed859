import { defineReading } from './reading.ts'

/** What the documents leave open about tokens and complete lists. */
export const ACCESS_READINGS = {
  expiresIn: defineReading({
    where: { document: 1, section: 'Token endpoint: POST {auth_url}/oauth/token' },
    question: 'How does the token endpoint return a token’s lifetime?',
    variants: {
      number: { does: 'As a whole number of seconds, as documented.' },
      text: { does: 'As text.' },
      absent: { does: 'Not at all.' },
    },
    usual: 'number',
    strict: 'number',
    lenient: 'absent',
    callsheet: 'Text is read as a number; without a lifetime one hour is assumed.',
  }),
  previousToken: defineReading({
    where: { document: 1, section: 'Authentication', item: '3' },
    question: 'Does a new token of an account end the earlier one?',
    variants: {
      ended: { does: 'Immediately.' },
      kept: { does: 'The earlier one stays valid until it expires.' },
    },
    usual: 'ended',
    strict: 'ended',
    lenient: 'kept',
    callsheet: 'All processes of an account share one token, and one of them renews it.',
  }),
  wholeLists: defineReading({
    where: { document: 2, section: 'Collaborators', item: '11' },
    question: 'Is an unpaged list the answer itself?',
    variants: {
      array: { does: 'The answer is the list.' },
      wrapped: {
        does: 'The answer is an object with the list in one field.',
        told: { says: 'whiteboard_collaborators' },
      },
    },
    usual: 'array',
    strict: 'array',
    lenient: 'array',
    callsheet: 'Such a list fails with an error that shows the answer.',
  }),
  consentList: defineReading({
    where: { document: 3, section: 'SMS consent', item: '11' },
    question: 'Where is the list of consent policies, whose path is not shown?',
    variants: {
      usual: { does: 'At the path for creating policies.' },
      elsewhere: {
        does: 'Elsewhere: that path returns a plain 404.',
        told: { says: 'sms_consents' },
      },
    },
    usual: 'usual',
    strict: 'usual',
    lenient: 'usual',
    callsheet: 'The run reports the missing list; numbers are read without it.',
  }),
}
