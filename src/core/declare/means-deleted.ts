import { ServiceError } from '../errors/errors.ts'
import type { DeclaredAnswer, Operation } from './operation.ts'

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
