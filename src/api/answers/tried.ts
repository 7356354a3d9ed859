import type { Operation } from '../../core/declare/operation.ts'

/** The call as error texts name it. */
export function tried(operation: Operation): string {
  return `${operation.method} ${operation.path} (${operation.id})`
}
