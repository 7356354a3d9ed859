import { lstat, realpath, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CallsheetError } from '../core/errors.ts'
import { wasPlaced } from '../report/placed-files.ts'
import type { RecordedFile } from '../report/published-reports.ts'
import { digestOf } from '../report/put-in-place.ts'
import { flushFolder } from '../store/dirty-folders.ts'
import type { Warehouse } from '../warehouse/connect.ts'

/** By path of a file or folder: the system's code of the error that met its reading or removal. */
export type FileFaults = Map<string, string>

/**
 * `ours`: as it was published, or as a process put it there that did not come to record it. `replaced`: a
 * later publication's file is there, or nothing that anybody would miss.
 */
export type PublishedState = 'ours' | 'replaced' | 'changed' | 'absent'

/** What lies where a publication put a file. Throws the system's error if that cannot be read. */
export async function stateOf(
  { db }: Pick<Warehouse, 'db'>,
  { path, sha256 }: RecordedFile,
  isLast: boolean,
): Promise<PublishedState> {
  if (!isLast) return 'replaced'
  try {
    if (!(await lstat(path)).isFile()) return 'changed'
    const lies = await digestOf(path)
    if (lies.sha256 === sha256) return 'ours'
    const paths = [path, join(await realpath(dirname(path)), basename(path))]
    return (await wasPlaced(db, { paths, sha256: lies.sha256 })) ? 'ours' : 'changed'
  } catch (error) {
    if (!isNotThere(systemCode(error))) throw error
    return isOfBundle(path) ? 'replaced' : 'absent'
  }
}

/** Whether it is made for a bundle, in a folder that is never kept. */
export function isOfBundle(path: string): boolean {
  return basename(dirname(path)).startsWith(BUNDLE_FOLDER)
}

/** Removes a file for good; false if there is none. */
export async function unlinkForGood(path: string): Promise<boolean> {
  try {
    await unlink(path)
  } catch (error) {
    if (!isNotThere(systemCode(error))) throw error
    return false
  }
  await flushFolder(dirname(path))
  return true
}

/** The system's code of an error. Rethrows an error of any other kind. */
export function systemCode(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) throw error
  return code
}

export function isNotThere(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** The message may quote file names, because names of published files contain no personal data. */
export function notErased(account: string, faults: FileFaults): CallsheetError {
  const shown = [...faults].slice(0, MOST_SHOWN).map(([path, code]) => `${path} (${code})`)
  const more = faults.size > MOST_SHOWN ? `, and ${faults.size - MOST_SHOWN} more` : ''
  return new CallsheetError('reports_not_erased', {
    tried: `Erasing a person from the published reports of account ${account}`,
    expected: 'the right to read these files and to remove them from their folders',
    came: `all others are done, but for ${shown.join(', ')}${more}`,
    todo: 'give this user that right and erase again, which completes it',
  })
}

export const BUNDLE_FOLDER = '.workbook-'
const MOST_SHOWN = 10
