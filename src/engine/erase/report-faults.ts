import { CallsheetError } from '../../core/errors/errors.ts'

/** By the path of a file or folder, the system's code of what kept it from being read or removed. */
export type Faults = Map<string, string>

/** The system's code of an error; an error of any other kind is thrown on. */
export function systemCode(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) throw error
  return code
}

export function isNotThere(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Names of published files hold nothing of a person, so they may be told. */
export function notErased(account: string, faults: Faults): CallsheetError {
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
