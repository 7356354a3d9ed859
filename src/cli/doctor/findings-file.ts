import { lstatSync, writeFileSync } from 'node:fs'
import { ConfigurationError } from '../../core/errors/errors.ts'
import { snippetOf } from '../probe/snippet.ts'
import type { ProbedAccount } from './probe-account.ts'

/** Whether there is room for what is to be written: looked at before anything is asked. */
export function checkFindingsFile({ probe, write }: { probe?: boolean; write?: string }): void {
  if (write === undefined) return
  if (probe !== true)
    throw new ConfigurationError('probe_needed', {
      tried: 'Writing settings to adopt',
      expected: '--probe with --write',
      came: '--write alone',
    })
  // A link that leads nowhere is somebody's, too.
  if (lstatSync(write, { throwIfNoEntry: false }) !== undefined) throw isThere(write)
}

/** Never over a file that somebody else has made meanwhile. */
export function writeFindings(path: string, accounts: readonly ProbedAccount[]): void {
  try {
    writeFileSync(path, snippetOf(accounts).file, { flag: 'wx' })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? isThere(path) : error
  }
}

function isThere(path: string): ConfigurationError {
  return new ConfigurationError('file_exists', {
    tried: `Writing settings to ${path}`,
    expected: 'a new file',
    came: 'it is there already',
    todo: 'name another, or remove it',
  })
}
