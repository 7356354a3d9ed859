import { CallsheetError } from '../core/errors.ts'

/** By path of a file or folder: the system's code of the error that met its reading or removal. */
export type FileFaults = Map<string, string>

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

const MOST_SHOWN = 10
