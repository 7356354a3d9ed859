/** Describes why a named file could not be opened; undefined for any other error. */
export function whyNotOpened(error: unknown): string | undefined {
  return REASONS[(error as NodeJS.ErrnoException | undefined)?.code ?? '']
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

export const CHECK_THE_PATH = 'check the path, and that this user can read the file'
