import { StoreError } from '../core/errors.ts'
import type { FileStore } from './store.ts'

/**
 * Describes why a file could not be read if the error may concern this file alone: a directory or device at
 * its path, a bad sector, an object in cold storage. Undefined for errors that affect the whole store, such
 * as a missing bucket, a lost connection or too many open files.
 */
export function faultOfOneFile(error: unknown): string | undefined {
  if (!(error instanceof StoreError)) return undefined
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  // A bucket's errors have no cause.
  const alone = ALONE.has(error.code) || (code !== undefined && isOfOneFile(code))
  return alone ? error.facts.came : undefined
}

/**
 * Returns true if the store can accept other files after it failed to store one. Tries to write a small file,
 * except if the store is full: a few bytes may fit where files do not.
 */
export async function concernsOneFile(error: unknown, store: FileStore): Promise<boolean> {
  if (!(error instanceof StoreError) || error.code === 'store_full') return false
  try {
    await store.examine()
    return true
  } catch {
    // The caller has the first error, which describes the problem of the whole store.
    return false
  }
}

/** Returns true if the system's error code may concern this file alone. */
export function isOfOneFile(code: string): boolean {
  return /^E[A-Z0-9]+$/.test(code) && !OF_ALL.has(code)
}

const ALONE = new Set(['store_linked', 'store_cold'])
const OF_ALL = new Set(
  'EMFILE ENFILE ENOMEM ESTALE ETIMEDOUT ENOTCONN ECONNRESET ECONNREFUSED EHOSTDOWN'.split(' '),
)
