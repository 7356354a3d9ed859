import { defineReading } from './reading.ts'

/** Where files are, how they are sent, and how a missing one is refused. */
export const FILE_READINGS = {
  fileHost: defineReading({
    where: { document: 2, section: 'Resources and their fields', item: 'download_url' },
    question:
      'On which host do the addresses of files lie, and what does it take to know who asks?',
    variants: {
      api: { does: 'On the host of the API, which takes the bearer of the call.' },
      bearer: {
        does: 'On another host that takes the same bearer: the account’s, or the JWT for recordings.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: trusted('jwt') } } },
      },
      query: {
        does: 'On another host that takes the JWT of recordings in the query alone, as access_token.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: trusted('jwt-in-query') } } },
      },
      signed: {
        does: 'On another host whose addresses are signed, and which refuses whoever shows a bearer.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: [fileHost()] } } },
      },
    },
    usual: 'api',
    strict: 'query',
    lenient: 'api',
    callsheet:
      'A host is trusted by archive.hosts alone, with the credential that stands there; without it ' +
      'every run names the host and the setting, and the files stay pending.',
  }),
  fileLength: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '2' },
    question: 'Does a file say how long it is?',
    variants: {
      stated: { does: 'Its answer has a content-length.' },
      absent: { does: 'It comes in chunks, the last of which ends it.' },
    },
    usual: 'stated',
    strict: 'absent',
    lenient: 'stated',
    callsheet:
      'Both are read to their end; one that neither tells its length nor marks its end stays pending, as ' +
      'does one that takes longer than two hours.',
  }),
  missingFile: defineReading({
    where: { document: 2, section: 'Errors', item: '404' },
    question: 'How is a file refused that is not there?',
    variants: {
      json: { does: 'As the documents say: 404 with the code of the operation.' },
      plain: { does: 'With a 404 that has no body.' },
      html: { does: 'With a 404 whose body is a page, as a proxy before the service makes it.' },
    },
    usual: 'json',
    strict: 'html',
    lenient: 'json',
    callsheet:
      'Only the documented code is the service’s own word, and only when it comes again an hour later, in ' +
      'another run, the file counts as deleted; whatever else comes leaves it pending.',
  }),
}

/** Stands for the file host, whose port is known once it listens. */
function fileHost(): string {
  return '{file_host}'
}

function trusted(recordings: string): object[] {
  return ['account', recordings].map((credential) => ({ host: fileHost(), credential }))
}
