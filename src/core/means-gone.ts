import { ServiceError } from './errors.ts'
import type { DeclaredAnswer, Operation } from './operation.ts'

/** Whether the service's answer is one that its operation declares as "no longer there". */
export function meansGone(operation: Operation, error: unknown): error is ServiceError {
  return isDeclared(operation.gone, error)
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
  const { status, serviceCode } = error
  return (answers ?? []).some(
    (answer) => answer.status === status && (answer.code ?? serviceCode) === serviceCode,
  )
}
