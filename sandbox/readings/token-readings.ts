import { defineReading } from './reading.ts'

/** How tokens are returned, and how long they last. */
export const TOKEN_READINGS = {
  tokenType: defineReading({
    where: { document: 1, section: 'Token endpoint: POST {auth_url}/oauth/token' },
    question: 'Does the answer with a token contain its type?',
    variants: {
      told: { does: 'Yes.' },
      absent: { does: 'The field is left out.' },
    },
    usual: 'told',
    strict: 'absent',
    lenient: 'told',
    callsheet: 'A token without a type is a bearer token.',
  }),
  tokenLife: defineReading({
    where: { document: 1, section: 'Authentication', item: '3' },
    question: 'Is a token valid until it expires?',
    variants: {
      hour: { does: 'Yes, unless a new one is issued.' },
      early: { does: 'One call in a thousand finds its token invalid.' },
    },
    usual: 'hour',
    strict: 'early',
    lenient: 'hour',
    callsheet:
      'A refused token is replaced, up to five times for a call. Three invalid tokens within two minutes ' +
      'are reported as another program’s doing, and renewed more slowly.',
  }),
  jwtLifetime: defineReading({
    where: { document: 1, section: 'Authentication', item: '10' },
    question: 'Is a JWT refused if it is valid for longer than the advised hour?',
    variants: {
      advised: { does: 'It is accepted.' },
      refused: { does: 'It is refused as invalid.' },
    },
    usual: 'advised',
    strict: 'refused',
    lenient: 'advised',
    callsheet: 'No JWT is signed for more than an hour.',
  }),
  apiUrl: defineReading({
    where: { document: 1, section: 'Token endpoint: POST {auth_url}/oauth/token' },
    question: 'What is the api_url in a token answer?',
    variants: {
      origin: { does: 'The API’s origin, without the version.' },
      versioned: { does: 'The address of the API, with the version.' },
      elsewhere: { does: 'Another host; the configured one answers as well.' },
      moved: {
        does: 'Another host, and only that one answers.',
        told: {
          says: 'to apiHosts',
          adopt: { account: { apiHosts: ['{api_host}'] } },
        },
      },
    },
    usual: 'origin',
    strict: 'elsewhere',
    lenient: 'origin',
    callsheet:
      'It is followed only if apiHosts allows hosts, and then only to these and to the host of baseUrl. ' +
      'If no call is answered the run names it, and doctor names it whenever it differs.',
  }),
}
