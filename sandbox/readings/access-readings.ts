import { defineReading } from './reading.ts'

/** Open questions about tokens and complete lists. */
export const ACCESS_READINGS = {
  expiresIn: defineReading({
    where: { document: 1, section: 'Token endpoint: POST {auth_url}/oauth/token' },
    question: 'How does the token endpoint return the token’s lifetime?',
    variants: {
      number: { does: 'As a number of seconds.' },
      text: { does: 'As text.' },
      absent: { does: 'Not at all.' },
    },
    usual: 'number',
    strict: 'number',
    lenient: 'absent',
    callsheet: 'Text is read as a number. Without a lifetime, one hour is assumed.',
  }),
  previousToken: defineReading({
    where: { document: 1, section: 'Authentication', item: '3' },
    question: 'Does a new token invalidate the previous one?',
    variants: {
      ended: { does: 'Immediately.' },
      kept: { does: 'No, it stays valid until it expires.' },
    },
    usual: 'ended',
    strict: 'ended',
    lenient: 'kept',
    callsheet: 'All processes of an account share one token, and one of them renews it.',
  }),
  wholeLists: defineReading({
    where: { document: 2, section: 'Collaborators', item: '11' },
    question: 'Is the body of an unpaged list the list itself?',
    variants: {
      array: { does: 'Yes.' },
      wrapped: {
        does: 'It is an object with the list in one field.',
        told: { says: 'whiteboard_collaborators' },
      },
    },
    usual: 'array',
    strict: 'array',
    lenient: 'array',
    callsheet: 'An object fails the list, and the error shows it.',
  }),
  consentList: defineReading({
    where: { document: 3, section: 'SMS consent', item: '11' },
    question: 'Which path lists the consent policies?',
    variants: {
      usual: { does: 'The path that creates policies.' },
      elsewhere: {
        does: 'Another one; this path returns a plain 404.',
        told: { says: 'sms_consents' },
      },
    },
    usual: 'usual',
    strict: 'usual',
    lenient: 'usual',
    callsheet: 'The run reports the missing list. Numbers are read without it.',
  }),
}
