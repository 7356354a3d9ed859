import {
  AuthenticationError,
  CallsheetError,
  ConfigurationError,
  FencedError,
  isDaySpent,
  LoadError,
  MissingScopeError,
  RateLimitedError,
  ServiceError,
  StoreError,
  TransportError,
} from '../../core/errors.ts'
import { fileFault } from '../../core/file-fault.ts'

/** Why a run is not complete, as stored in its record. Like the run's problems, it may name single lists. */
export interface Failure {
  /** Shared by runs of other jobs that fail for the same reason; undefined if the reason is the job's own. */
  key?: string | undefined
  /** How far the failed run got. A later run that gets further shows that the reason is resolved. */
  depth: Depth
  /** What happened, as a phrase. */
  came: string
  /** A remedy for a person to apply. */
  todo?: string | undefined
}

/** 0: the service, database or a file was unavailable. 1: access or the configuration failed. 2: the rest. */
export type Depth = 0 | 1 | 2

/** The failure of a run; undefined if it is complete, was stopped, or waits for the daily quota. */
export function failureOfRun({
  state,
  error,
  failure,
  trippedGuards,
}: RunEnd): Failure | undefined {
  if (state !== 'incomplete' && state !== 'failed') return undefined
  if (error !== undefined) return failureOf(error)
  if (failure !== undefined) return failure
  const [drop] = trippedGuards
  if (drop === undefined)
    return {
      key: NOT_ALLOWED,
      depth: 1,
      came: 'the service allows none of the data that the job reads',
    }
  const came = `${drop.missing} of ${drop.owned} rows of ${drop.stream} are missing`
  return { key: DELETION_GUARD, depth: 2, came }
}

interface RunEnd {
  state: string
  error?: unknown
  failure?: Failure
  trippedGuards: readonly { stream: string; missing: number; owned: number }[]
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof CallsheetError)) {
    const file = fileFault(error)
    if (file !== undefined)
      return {
        key: `file ${file.code}`,
        depth: 0,
        came: `${file.tried}: ${file.came}`,
        todo: file.todo,
      }
    const name = error instanceof Error ? error.name : 'no error'
    return { depth: 2, came: `an unexpected error occurred (${name})` }
  }
  const { tried, came, todo } = error.facts
  return { ...kindOf(error, tried, withoutWords(error, came)), todo }
}

function kindOf(error: CallsheetError, tried: string, said: string): Failure {
  const { code, retry } = error
  const came = `${tried}: ${said}`
  if (error instanceof AuthenticationError) return { key: code, depth: 1, came: said }
  if (error instanceof ConfigurationError || error instanceof MissingScopeError)
    return { key: code, depth: 1, came }
  if (error instanceof RateLimitedError)
    return { key: code, depth: 0, came: `the service limits the rate of calls: ${said}` }
  // Both kinds of retry mean that the service or the network to it is unavailable.
  if (retry.kind === 'backoff' || retry.kind === 'wait')
    return { key: UNAVAILABLE, depth: 0, came: `the service is not available: ${said}` }
  if (error instanceof ServiceError) {
    const { operation, status, serviceCode = '' } = error
    return status === 401
      ? { key: 'HTTP 401', depth: 1, came: `the service refuses the token: ${said}` }
      : { key: `${operation} HTTP ${status} ${serviceCode}`.trim(), depth: 2, came }
  }
  if (code === 'tls' || error instanceof LoadError || error instanceof FencedError)
    return { key: code, depth: 0, came }
  const isShared = error instanceof TransportError || error instanceof StoreError
  return { key: isShared ? code : undefined, depth: 2, came }
}

/** The failure for a problem that the run reported without an error. It concerns this job alone. */
export function failureOfProblem(text: string): Failure {
  return { depth: 2, came: text.replace(/[.\s]+$/, '') }
}

/** Parses a failure from a run's record; undefined for anything else. */
export function readFailure(value: unknown): Failure | undefined {
  const { key, depth, came, todo } = (value ?? {}) as Partial<Record<keyof Failure, unknown>>
  if (typeof came !== 'string') return undefined
  return {
    key: typeof key === 'string' ? key : undefined,
    depth: depth === 0 || depth === 1 ? depth : 2,
    came,
    todo: typeof todo === 'string' ? todo : undefined,
  }
}

/** Removes the service's message, in quotes after the status, since alerts do not repeat it. */
function withoutWords(error: CallsheetError, came: string): string {
  const said = error instanceof ServiceError || error instanceof RateLimitedError
  return said && !isDaySpent(error) ? came.replace(/, ".*"/, '') : came
}

export const UNAVAILABLE = 'service_unavailable'
export const DELETION_GUARD = 'deletion_guard'
export const NOT_ALLOWED = 'not_allowed'
