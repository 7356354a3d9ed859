import { defineReading } from './reading.ts'

/** Where files are, how they are sent, and how a missing one is refused. */
export const FILE_READINGS = {
  fileHost: defineReading({
    where: { document: 2, section: 'Resources and their fields', item: 'download_url' },
    question: 'Which host serves files, and which credential does it need?',
    variants: {
      api: { does: 'The API’s host, which takes the call’s bearer token.' },
      bearer: {
        does: 'Another host with the same token: the account’s, or the JWT for recordings.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: trusted('jwt') } } },
      },
      query: {
        does: 'Another host that takes the recordings’ JWT only in the query, as access_token.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: trusted('jwt-in-query') } } },
      },
      signed: {
        does: 'Another host with signed addresses, which refuses calls with a token.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: [fileHost()] } } },
      },
    },
    usual: 'api',
    strict: 'query',
    lenient: 'api',
    callsheet:
      'Only hosts in archive.hosts are trusted, with the credential configured there. Otherwise every run ' +
      'names the host and the setting, and the files stay pending.',
  }),
  fileLength: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '2' },
    question: 'Does the answer with a file state its length?',
    variants: {
      stated: { does: 'Yes, by a content-length.' },
      absent: { does: 'No: it is sent in chunks with an end marker.' },
    },
    usual: 'stated',
    strict: 'absent',
    lenient: 'stated',
    callsheet:
      'Both are read to their end. A file with neither a length nor an end marker stays pending, and so ' +
      'does one that takes longer than two hours.',
  }),
  missingFile: defineReading({
    where: { document: 2, section: 'Errors', item: '404' },
    question: 'How is a missing file refused?',
    variants: {
      json: { does: 'As documented: 404 with the operation’s code.' },
      plain: { does: 'With a 404 without a body.' },
      html: { does: 'With a 404 page, as a proxy in front of the service would.' },
    },
    usual: 'json',
    strict: 'html',
    lenient: 'json',
    callsheet:
      'Only the documented code counts as the service’s own answer, and only if it comes again in another ' +
      'run an hour later is the file recorded as deleted. After any other answer it stays pending.',
  }),
}

/** Stands for the file host, whose port is known once it listens. */
function fileHost(): string {
  return '{file_host}'
}

function trusted(recordings: string): object[] {
  return ['account', recordings].map((credential) => ({ host: fileHost(), credential }))
}
