import { ServiceError } from './errors.ts'
import type { Operation } from './operation.ts'

/** Whether the service's answer is one that its operation declares as "there, but not for us". */
export function meansWithheld(operation: Operation, error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  const { status, serviceCode } = error
  return (operation.withheld ?? []).some(
    (answer) => answer.status === status && answer.code === serviceCode,
  )
}

/** Whether the service's answer is one that its operation declares as "no longer there". */
export function meansGone(operation: Operation, error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  const { status, serviceCode } = error
  return (operation.gone ?? []).some(
    (answer) => answer.status === status && (answer.code ?? serviceCode) === serviceCode,
  )
}
