import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { ConfigurationError } from '../core/errors.ts'

/** Makes the folder that reports are written to, or says in words why that is not possible. */
export async function makeReportDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true })
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException
    throw new ConfigurationError('reports_directory', {
      tried: `Writing reports to ${directory}`,
      expected: 'a folder that this user may write to',
      came: REASONS[code] ?? `it cannot be made or written to (${code})`,
      todo: 'name another one with --out or reports.directory',
    })
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'that is not allowed',
  EPERM: 'that is not allowed',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'there is a file of that name',
  ENOSPC: 'the disk is full',
}
