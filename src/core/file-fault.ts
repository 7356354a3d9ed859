/** A folder or file that cannot be created, read or written until the machine's operator acts. */
export interface FileFault {
  code: string
  tried: string
  came: string
  todo: string
}

export function fileFault(error: unknown): FileFault | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  const came = FILE_ERRORS[code]
  // The system's error on a file that is already open has no path.
  const writing = /^(write|fsync|fdatasync)/.test(syscall)
  if (came === undefined || (path === undefined && !writing)) return undefined
  const tried = path === undefined ? 'Writing to a file' : `Using ${path}`
  return { code: code.toLowerCase(), tried, came, todo: FILE_ADVICE }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not access it',
  EPERM: 'this user may not access it',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}
const FILE_ADVICE = 'fix that, or set stateDirectory or database.directory to another path'
