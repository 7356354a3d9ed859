import { StoreError } from '../core/errors.ts'

interface Tried {
  tried: string
  place: string
  /** The setting that configures the path. */
  setting?: string
}

/** Converts a system error about a file to a StoreError with advice. Returns a StoreError unchanged. */
export function storeFault(
  error: unknown,
  { tried, place, setting = 'archive.directory' }: Tried,
): StoreError {
  if (error instanceof StoreError) return error
  const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name
  const known = FAULTS[code]
  return new StoreError(known?.code ?? 'store_failed', {
    tried: `${tried} in ${place}`,
    came: known?.came ?? `the system reports ${code}`,
    todo: `${(known?.todo ?? 'check the disk').replace('SETTING', setting)}; the next run continues`,
    cause: error,
  })
}

/** The error for a directory or device at the path of an archived file. */
export function noRegularFile(at: Tried): StoreError {
  return storeFault(Object.assign(new Error('no regular file'), { code: 'EISDIR' }), at)
}

/** Returns a function that runs work on a path and throws its errors as StoreErrors. */
export function faultGuard(at: Omit<Tried, 'tried'>) {
  return async <T>(tried: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw storeFault(error, { ...at, tried })
    }
  }
}

interface Fault {
  code: string
  came: string
  todo: string
}

const FULL: Fault = {
  code: 'store_full',
  came: 'the disk is full',
  todo: 'free some space, or set SETTING to a path on a larger disk',
}
const FORBIDDEN: Fault = {
  code: 'store_forbidden',
  came: 'this user has no access to the path',
  todo: 'make the user that runs callsheet the owner of the directory',
}
const TOO_MANY: Fault = {
  code: 'store_failed',
  came: 'the process has too many files open',
  todo: 'raise the limit of open files (ulimit -n)',
}
const LINKED: Fault = {
  code: 'store_linked',
  came: 'a link, device or other object exists at the path of an archived file or folder',
  todo: 'find out who created that object, then remove it',
}
const FAULTS: Readonly<Record<string, Fault>> = {
  ENOSPC: FULL,
  EDQUOT: { ...FULL, came: 'the disk quota is used up' },
  EFBIG: {
    code: FULL.code,
    came: 'the file is larger than this process may write, or than the file system allows',
    todo: 'raise the limit of file sizes (ulimit -f), or set SETTING to a path on another file system',
  },
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: {
    code: 'store_read_only',
    came: 'the file system is read-only',
    todo: 'mount the file system writable, or set SETTING to another path',
  },
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  ELOOP: LINKED,
  ENOTDIR: LINKED,
  EEXIST: LINKED,
  EISDIR: LINKED,
  ENXIO: LINKED,
}
