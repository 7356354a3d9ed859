import { defineReading } from './reading.ts'

/** How tokens are returned, and how long they last. */
export const TOKEN_READINGS = {
  tokenType: defineReading({
    where: { document: 1, section: 'Token endpoint: POST {auth_url}/oauth/token' },
    question: 'Does the answer with a token always say its type?',
    variants: {
      told: { does: 'It does.' },
      absent: { does: 'The field is left out.' },
    },
    usual: 'told',
    strict: 'absent',
    lenient: 'told',
    callsheet: 'There is one type: a token without it is a bearer.',
  }),
  tokenLife: defineReading({
    where: { document: 1, section: 'Authentication', item: '3' },
    question: 'Is a token good until its time is over?',
    variants: {
      hour: { does: 'It is, unless another one is asked for.' },
      early: { does: 'One call in a thousand finds that its token has died.' },
    },
    usual: 'hour',
    strict: 'early',
    lenient: 'hour',
    callsheet:
      'A token that is refused is replaced, up to five times for a call. Three deaths within two ' +
      'minutes are told as another program, and renewed more slowly.',
  }),
  jwtLifetime: defineReading({
    where: { document: 1, section: 'Authentication', item: '10' },
    question: 'Is a JWT refused that is good for longer than the advised hour?',
    variants: {
      advised: { does: 'It is taken.' },
      refused: { does: 'It is refused as invalid.' },
    },
    usual: 'advised',
    strict: 'refused',
    lenient: 'advised',
    callsheet: 'None is signed for more than an hour.',
  }),
  apiUrl: defineReading({
    where: { document: 1, section: 'Token endpoint: POST {auth_url}/oauth/token' },
    question: 'What is the api_url that comes with a token?',
    variants: {
      origin: { does: 'The origin of the API, without the version.' },
      versioned: { does: 'The address of the API, with the version.' },
      elsewhere: { does: 'Another host, while the configured one answers as well.' },
      moved: {
        does: 'Another host, which alone answers.',
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
      'It is not followed unless apiHosts names hosts, and then only to them and to the host of baseUrl. ' +
      'Where no call is answered the run names it, and doctor does wherever it differs.',
  }),
}
