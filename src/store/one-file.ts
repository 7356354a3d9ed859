import { StoreError } from '../core/errors.ts'
import type { FileStore } from './store.ts'

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

/**
 * Whether a store that could not take one file would take others: where its error does not say, it is
 * tried. A store that is full takes no other either, whatever a few bytes say.
 */
export async function concernsOneFile(error: unknown, store: FileStore): Promise<boolean> {
  if (!(error instanceof StoreError) || error.code === 'store_full') return false
  if (faultOfOneFile(error) !== undefined) return true
  try {
    await store.examine()
    return true
  } catch {
    // What ails the whole store is what the error says.
    return false
  }
}

/** Whether the system's code for why a file cannot be read may be that of this file alone. */
export function isOfOneFile(code: string): boolean {
  return /^E[A-Z0-9]+$/.test(code) && !OF_ALL.has(code)
}

const ALONE = new Set(['store_linked', 'store_cold'])
const OF_ALL = new Set(
  'EMFILE ENFILE ENOMEM ESTALE ETIMEDOUT ENOTCONN ECONNRESET ECONNREFUSED EHOSTDOWN'.split(' '),
)
