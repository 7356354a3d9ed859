import type { X509Certificate } from 'node:crypto'
import { ConfigurationError } from '../core/errors.ts'
import { MOST_SETTINGS_BYTES, readSmallFile, UnfitFile } from '../core/read-small-file.ts'
import { CHECK_THE_PATH, whyNotOpened } from '../core/unopened-file.ts'
import { certificatesOf } from '../evidence/stamp/pem.ts'

/** Reads the certificates in these files, which are trusted for time stamps. */
export function readRoots(paths: readonly string[]): X509Certificate[] {
  return paths.flatMap(rootsOf)
}

function rootsOf(path: string): X509Certificate[] {
  try {
    const roots = certificatesOf(readSmallFile(path, MOST_SETTINGS_BYTES).toString('utf8'))
    if (roots.length > 0) return roots
  } catch (error) {
    throw unreadable(path, error instanceof UnfitFile ? error.message : whyNotOpened(error))
  }
  throw unreadable(path)
}

function unreadable(path: string, unopened?: string): ConfigurationError {
  return new ConfigurationError('authority_unreadable', {
    tried: `Reading the trusted root certificates of time stamps from ${path}`,
    expected: 'a file with certificates in PEM',
    came: unopened ?? 'the file contains no readable certificate',
    todo:
      unopened === undefined
        ? 'download the root certificates from the time-stamp service'
        : CHECK_THE_PATH,
  })
}
