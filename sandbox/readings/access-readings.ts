import { defineReading } from './reading.ts'

/** What the documents leave open about tokens and complete lists. */
export const ACCESS_READINGS = {
  expiresIn: defineReading({
    where: { document: 1, section: 'Token endpoint: POST {auth_url}/oauth/token' },
    question: 'How does the token server write for how long a token is good?',
    variants: {
      number: { does: 'Whole seconds, as the documents say.' },
      text: { does: 'The seconds as a text.' },
      absent: { does: 'Not at all.' },
    },
    usual: 'number',
    strict: 'number',
    lenient: 'absent',
    callsheet: 'A text is read as the number it holds; without one an hour is taken.',
  }),
  previousToken: defineReading({
    where: { document: 1, section: 'Authentication', item: '3' },
    question: 'Does a new token of an account end the one before it?',
    variants: {
      ended: { does: 'At once.' },
      kept: { does: 'The one before is good until its own hour is over.' },
    },
    usual: 'ended',
    strict: 'ended',
    lenient: 'kept',
    callsheet: 'All processes of an account share one token, which one of them renews.',
  }),
  wholeLists: defineReading({
    where: { document: 2, section: 'Collaborators', item: '11' },
    question: 'Is a list that comes in one answer the answer itself?',
    variants: {
      array: { does: 'The answer is the list.' },
      wrapped: {
        does: 'The answer is an object, one of whose fields is the list.',
        told: { says: 'whiteboard_collaborators' },
      },
    },
    usual: 'array',
    strict: 'array',
    lenient: 'array',
    callsheet: 'Such a list fails, and says what came.',
  }),
  consentList: defineReading({
    where: { document: 3, section: 'SMS consent', item: '11' },
    question: 'Where is the list of consent policies, whose path is not shown?',
    variants: {
      usual: { does: 'At the path to which policies are posted.' },
      elsewhere: {
        does: 'Elsewhere: that path is answered with a plain 404.',
        told: { says: 'sms_consents' },
      },
    },
    usual: 'usual',
    strict: 'usual',
    lenient: 'usual',
    callsheet: 'The run says that the list is not there; numbers are read without it.',
  }),
}
