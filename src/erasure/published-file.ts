import { lstat, realpath, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CallsheetError } from '../core/errors.ts'
import { wasPlaced } from '../report/placed-files.ts'
import type { RecordedFile } from '../report/published-reports.ts'
import { digestOf } from '../report/put-in-place.ts'
import { flushFolder } from '../store/dirty-folders.ts'
import type { Warehouse } from '../warehouse/connect.ts'

/** The system's error codes for reading or removing files and folders, by path. */
export type FileFaults = Map<string, string>

/**
 * `ours`: the file is as it was published, or a process placed it and died before recording it. `replaced`: a
 * later publication has this path, or the temporary file of a bundle is gone.
 */
export type PublishedState = 'ours' | 'replaced' | 'changed' | 'absent'

/** Checks the file at the path of a publication. Throws the system's error if it cannot be read. */
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

/** Whether the file was made for a bundle, in a temporary folder. */
export function isOfBundle(path: string): boolean {
  return basename(dirname(path)).startsWith(BUNDLE_FOLDER)
}

/** Removes a file and flushes its folder; returns false if there is none. */
export async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path)
  } catch (error) {
    if (!isNotThere(systemCode(error))) throw error
    return false
  }
  await flushFolder(dirname(path))
  return true
}

/** Returns the system's code of an error. Rethrows any other error. */
export function systemCode(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) throw error
  return code
}

export function isNotThere(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Makes the error for files that could not be read or removed. Its message quotes up to ten paths. */
export function notErased(account: string, faults: FileFaults): CallsheetError {
  const shown = [...faults].slice(0, MOST_SHOWN).map(([path, code]) => `${path} (${code})`)
  const more = faults.size > MOST_SHOWN ? `, and ${faults.size - MOST_SHOWN} more` : ''
  return new CallsheetError('reports_not_erased', {
    tried: `Erasing a person from the published reports of account ${account}`,
    came: `these files could not be read or removed: ${shown.join(', ')}${more}`,
    todo: 'allow this user to read and remove them, then erase again; everything else was erased',
  })
}

const BUNDLE_FOLDER = '.workbook-'
const MOST_SHOWN = 10
