import { nearest } from '../../config/nearest.ts'
import type { Operation } from '../../core/define/operation.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { operations } from '../../resources/declared.ts'

/** The operation of an id; where there is none, an error with the one that was likely meant. */
export function findOperation(id: string): Operation {
  const found = operations.find((one) => one.id === id)
  if (found !== undefined) return found
  const near = nearest(
    id,
    operations.map((one) => one.id),
  )
  throw new ConfigurationError('unknown_operation', {
    tried: 'Looking for an operation',
    expected: 'the id of one, as callsheet operations lists them',
    came: near === undefined ? id.slice(0, 60) : `${id}; did you mean ${near}?`,
  })
}
