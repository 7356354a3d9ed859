import { isRefusedAddress } from '../../api/url-policy.ts'
import {
  CallsheetError,
  ServiceError,
  TransportError,
  UnusableValueError,
} from '../../core/errors.ts'
import type { FileOutcome } from '../../warehouse/files.ts'

/**
 * What a failed download means for its file: `dead` addresses are worth another listing, `refused` ones are
 * not, `later` is for the next run. Undefined ends the work: it would be no better for any other file.
 */
export type Failure = 'dead' | 'refused' | 'later' | undefined

export function failureOf(error: unknown): Failure {
  if (isRefusedAddress(error)) return 'refused'
  if (error instanceof TransportError || error instanceof UnusableValueError) return 'later'
  if (!(error instanceof ServiceError)) return undefined
  if (error.retry.kind !== 'never') return 'later'
  // The same token works elsewhere: the app may not fetch files at all.
  return error.status === 401 ? undefined : 'dead'
}

/** The state of a file that the service does not give, in its last word. */
export function finalState(
  error: ServiceError,
  { expiresAtMs, nowMs }: { expiresAtMs: number | undefined; nowMs: number },
): Pick<FileOutcome, 'state' | 'reason' | 'incident'> {
  const reason = error.facts.came
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs)
    return { state: 'expired', reason, incident: true }
  const absent = error.status === 404 || error.status === 410
  return { state: absent ? 'missing' : 'refused', reason, incident: true }
}

/** Says why in a few words: never an address, which is signed. */
export function reasonOf(error: unknown): string {
  return error instanceof CallsheetError ? error.facts.came : (error as Error).name
}
