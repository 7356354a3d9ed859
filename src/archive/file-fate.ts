import { isRefusedAddress } from '../api/call/url-policy.ts'
import { meansDeleted } from '../core/define/answer-meaning.ts'
import type { Operation } from '../core/define/operation.ts'
import { CallsheetError, ServiceError, TransportError, UnusableValueError } from '../core/errors.ts'
import type { FileOutcome } from './sql/files.ts'

/**
 * What a failed download means for its file. `dead`: another listing may give a new address. `refused`: it
 * would not. `later`: the next run tries again. Undefined ends the work: no other file would do better.
 */
export type FetchFailure = 'dead' | 'refused' | 'later' | undefined

export function failureOf(error: unknown): FetchFailure {
  if (isRefusedAddress(error)) return 'refused'
  if (error instanceof TransportError || error instanceof UnusableValueError) return 'later'
  if (!(error instanceof ServiceError)) return undefined
  if (error.retry.kind !== 'never') return 'later'
  // The same token works elsewhere: the app may not fetch files at all.
  return error.status === 401 ? undefined : 'dead'
}

interface Due {
  operation: Operation
  expiresAtMs: number | undefined
  nowMs: number
}

/**
 * What becomes of a file that the service does not give, by its answer to a fresh address. It stays
 * pending, since a proxy or an outage may have answered. Only the documented answer for "no longer there"
 * counts as the service's own.
 */
export function fateOf(
  error: ServiceError,
  { operation, expiresAtMs, nowMs }: Due,
): Pick<FileOutcome, 'state' | 'reason' | 'incident' | 'absent'> {
  const reason = reasonOf(error)
  const absent = meansDeleted(operation, error)
  if (absent && expiresAtMs !== undefined && expiresAtMs <= nowMs)
    return { state: 'expired', reason, incident: true }
  return { state: 'pending', reason, absent: absent ? 'file' : undefined }
}

/** The reason in a few words, and what to do if anything: never an address, which is signed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof CallsheetError)) return (error as Error).name
  const { came, todo } = error.facts
  return todo === undefined ? came : `${came}; ${todo}`
}
