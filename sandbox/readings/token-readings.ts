import { defineReading } from './reading.ts'

/** Open questions about how tokens are returned, and how long they are valid. */
export const TOKEN_READINGS = {
  tokenType: defineReading({
    where: { document: 1, section: 'Token endpoint: POST {auth_url}/oauth/token' },
    question: 'Does a token answer contain the token’s type?',
    variants: {
      told: { does: 'Yes.' },
      absent: { does: 'No.' },
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
      early: { does: 'One call in a thousand finds it invalid.' },
    },
    usual: 'hour',
    strict: 'early',
    lenient: 'hour',
    callsheet:
      'A refused token is replaced, up to five times per call. Three invalid tokens within two ' +
      'minutes are reported as another program’s doing, and renewed more slowly.',
  }),
  jwtLifetime: defineReading({
    where: { document: 1, section: 'Authentication', item: '10' },
    question: 'Is a JWT valid for more than an hour accepted?',
    variants: {
      advised: { does: 'Yes.' },
      refused: { does: 'No.' },
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
      versioned: { does: 'The API’s URL, with the version.' },
      elsewhere: { does: 'Another host; the configured one answers too.' },
      moved: {
        does: 'Another host, the only one that answers.',
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
      'It is used only if its host is listed in `apiHosts` or is that of `baseUrl`. If no call is ' +
      'answered, the run names it; `doctor` names it whenever it differs.',
  }),
}
