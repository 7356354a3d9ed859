import { constants } from 'node:fs'
import { access, rm } from 'node:fs/promises'
import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import { makePrivateDirectory } from '../core/private-directory.ts'

/** Creates the folder for reports, or throws an error with the reason. */
export async function makeReportDirectory(directory: string): Promise<void> {
  try {
    // Private, because reports contain names of people.
    makePrivateDirectory(directory)
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException
    throw new ConfigurationError('reports_directory', {
      tried: `Writing reports to ${directory}`,
      expected: 'a folder that this user can write to',
      came: REASONS[code] ?? `the folder cannot be created or written to (${code})`,
      todo: 'choose another folder with --out or reports.directory',
    })
  }
}

/** Converts known system errors about published files to a CallsheetError; returns others unchanged. */
export function reportFileError(error: unknown, directory: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  const came = REASONS[code]
  if (error instanceof CallsheetError || came === undefined) return error
  return new CallsheetError('reports_not_written', {
    tried: `Writing reports to ${directory}`,
    came,
    todo:
      'fix this fault and run the command again, or choose another folder with --out or ' +
      'reports.directory',
    cause: error,
  })
}

/** Removes files that may name a person erased in the meantime, and returns the error to throw. */
export async function withdrawFiles(files: readonly { path: string }[]): Promise<CallsheetError> {
  for (const { path } of files) await rm(path, { force: true })
  return new CallsheetError('report_withdrawn', {
    tried: 'Publishing a report or bundle',
    came: 'a person was erased meanwhile, so the new files were removed, as they may name that person',
    todo: 'create the report or bundle again',
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder cannot be created there',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file of this name exists',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than this process may write',
  EMFILE: 'too many files are open in this process',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk reports an error',
}
