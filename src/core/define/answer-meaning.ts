import { MissingScopeError, NotAllowedError, ServiceError } from '../errors.ts'
import type { DeclaredAnswer, Operation } from './operation.ts'

export type Refused = MissingScopeError | ServiceError

/** Whether the service's answer is one that its operation declares as "no longer there". */
export function meansDeleted(operation: Operation, error: unknown): error is ServiceError {
  return isDeclared(operation.deleted, error)
}

/** The same of an answer of which only the status and the code are looked at. */
export function isDeclaredDeleted(
  operation: Operation,
  answer: { status: number; code: string | undefined },
): boolean {
  return isAmong(operation.deleted, answer)
}

/** Whether it is one that its operation declares as "there, and not for us". */
export function meansWithheld(operation: Operation, error: unknown): error is ServiceError {
  return isDeclared(operation.withheld, error)
}

/**
 * Whether it is a 403 or a 404 that the operation does not declare, on a call for one record: the documents
 * tell few of these codes. It may be that record's alone, if others are answered; nothing is deleted by it.
 */
export function mayMeanOne(operation: Operation, error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.retry.kind !== 'never') return false
  const { status } = error
  const isKnown = meansDeleted(operation, error) || meansWithheld(operation, error)
  const ofOne = operation.method === 'GET' && operation.path.includes('{')
  return ofOne && !isKnown && (status === 403 || status === 404) && !forbids(operation, error)
}

/**
 * Whether the service says that this account, its plan, its cluster or the app may not make the call at all:
 * asking again helps nothing, and every other call may still be answered. A token that is no good, a quota,
 * and a service that fails say no such thing.
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

/** What some clusters, or some accounts, do not have is not found there. */
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
