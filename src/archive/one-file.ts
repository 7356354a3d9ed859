import { StoreError } from '../core/errors.ts'

/**
 * What keeps one file of a store from being read, in words: something else that lies under its name, a sector
 * that is gone, an object in cold storage. Undefined for what concerns the whole store, and no other file
 * would fare better: a bucket that is not there, a connection, too many open files.
 */
export function faultOfOneFile(error: unknown): string | undefined {
  if (!(error instanceof StoreError)) return undefined
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  // A bucket's errors keep no cause.
  const alone = ALONE.has(error.code) || (code !== undefined && isOfOneFile(code))
  return alone ? error.facts.came : undefined
}

/** Whether the system's code for why a file cannot be read may be that of this file alone. */
export function isOfOneFile(code: string): boolean {
  return /^E[A-Z0-9]+$/.test(code) && !OF_ALL.has(code)
}

const ALONE = new Set(['store_linked', 'store_cold'])
const OF_ALL = new Set(
  'EMFILE ENFILE ENOMEM ESTALE ETIMEDOUT ENOTCONN ECONNRESET ECONNREFUSED EHOSTDOWN'.split(' '),
)
