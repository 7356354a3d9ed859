import type { Operation } from '../../core/define/operation.ts'

/** The call as error texts name it. */
export function tried(operation: Operation): string {
  return `${operation.method} ${operation.path} (${operation.id})`
}
