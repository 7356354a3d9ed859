import { defineReading } from './reading.ts'

/** Open questions about files: their location, their transfer, and the refusal of a missing one. */
export const FILE_READINGS = {
  fileHost: defineReading({
    where: { document: 2, section: 'Resources and their fields', item: 'download_url' },
    question: 'Which host serves files, and with which credential?',
    variants: {
      api: { does: 'The API’s host, with the bearer token.' },
      bearer: {
        does: 'Another host, with the same token: the account’s, or the JWT for recordings.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: trusted('jwt') } } },
      },
      query: {
        does: 'Another host that takes the JWT for recordings only in the query, as access_token.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: trusted('jwt-in-query') } } },
      },
      signed: {
        does: 'Another host with signed URLs, which refuses calls with a token.',
        told: { says: 'archive.hosts', adopt: { archive: { hosts: [fileHost()] } } },
      },
    },
    usual: 'api',
    strict: 'query',
    lenient: 'api',
    callsheet:
      'Only hosts in `archive.hosts` are trusted, with the credential set there. Until then every ' +
      'run names the host and the setting, and the files stay pending.',
  }),
  fileLength: defineReading({
    where: { document: 2, section: 'Whiteboard archiving', item: '2' },
    question: 'Does a file’s answer state its length?',
    variants: {
      stated: { does: 'Yes, in content-length.' },
      absent: { does: 'No, it is sent in chunks with an end marker.' },
    },
    usual: 'stated',
    strict: 'absent',
    lenient: 'stated',
    callsheet:
      'A file with neither stays pending, and so does one that takes longer than two hours.',
  }),
  missingFile: defineReading({
    where: { document: 2, section: 'Errors', item: '404' },
    question: 'How is a missing file refused?',
    variants: {
      json: { does: '404 with the documented code.' },
      plain: { does: '404 without a body.' },
      html: { does: '404 with an HTML page, as from a proxy.' },
    },
    usual: 'json',
    strict: 'html',
    lenient: 'json',
    callsheet:
      'A file counts as deleted only if the documented code comes in two runs an hour apart. ' +
      'After any other answer it stays pending.',
  }),
}

/** Returns a placeholder for the file host, whose port is known once it listens. */
function fileHost(): string {
  return '{file_host}'
}

function trusted(recordings: string): object[] {
  return ['account', recordings].map((credential) => ({ host: fileHost(), credential }))
}
