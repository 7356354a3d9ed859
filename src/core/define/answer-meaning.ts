import { MissingScopeError, NotAllowedError, ServiceError } from '../errors.ts'
import type { DeclaredAnswer, Operation } from './operation.ts'

export type Refused = MissingScopeError | ServiceError

export function meansDeleted(operation: Operation, error: unknown): error is ServiceError {
  return isDeclared(operation.deleted, error)
}

export function isDeclaredDeleted(
  operation: Operation,
  answer: { status: number; code: string | undefined },
): boolean {
  return isAmong(operation.deleted, answer)
}

export function meansWithheld(operation: Operation, error: unknown): error is ServiceError {
  return isDeclared(operation.withheld, error)
}

/**
 * Whether the error is a 403 or 404 of a GET with a placeholder, not declared as `deleted`, `withheld` or
 * `forbids`. If the service returns other records, it may concern this one alone. It proves no deletion.
 */
export function mayMeanOne(operation: Operation, error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.retry.kind !== 'never') return false
  const { status } = error
  const isKnown = meansDeleted(operation, error) || meansWithheld(operation, error)
  const ofOne = operation.method === 'GET' && operation.path.includes('{')
  return ofOne && !isKnown && (status === 403 || status === 404) && !forbids(operation, error)
}

/**
 * Whether the error may mean that the service refuses the operation to this account, its plan, its cluster or
 * the app. A retry does not help, but other calls may succeed. False for an invalid token, a spent quota or a
 * failing service.
 */
export function meansRefused(operation: Operation, error: unknown): error is Refused {
  if (error instanceof MissingScopeError || error instanceof NotAllowedError) return true
  if (!(error instanceof ServiceError) || error.retry.kind !== 'never') return false
  if (meansDeleted(operation, error)) return false
  const { status } = error
  const isUnknown = declaredError(operation, error) === undefined
  return (
    status === 403 ||
    forbids(operation, error) ||
    (status === 404 && isUnknown && isNotEverywhere(operation))
  )
}

function forbids(operation: Operation, error: ServiceError): boolean {
  return declaredError(operation, error)?.forbids === true
}

function declaredError({ errors }: Operation, { status, serviceCode }: ServiceError) {
  return errors?.find((one) => one.status === status && one.code === serviceCode)
}

/** Whether some clusters or accounts may lack the operation and return "not found" for it. */
function isNotEverywhere({ beta, unavailableIn = [] }: Operation): boolean {
  return beta === true || unavailableIn.length > 0
}

function isDeclared(
  answers: readonly DeclaredAnswer[] | undefined,
  error: unknown,
): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  return isAmong(answers, { status: error.status, code: error.serviceCode })
}

function isAmong(
  answers: readonly DeclaredAnswer[] | undefined,
  { status, code }: { status: number; code: string | undefined },
): boolean {
  return (answers ?? []).some(
    (answer) => answer.status === status && (answer.code ?? code) === code,
  )
}
