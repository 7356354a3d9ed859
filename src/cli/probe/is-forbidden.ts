import {
  AuthenticationError,
  ConfigurationError,
  MissingScopeError,
  ServiceError,
} from '../../core/errors/errors.ts'

/** Whether the account, its app or its settings forbid the call: that proves nothing about the service. */
export function isForbidden(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 401 || error.status === 403
  return (
    error instanceof MissingScopeError ||
    error instanceof AuthenticationError ||
    error instanceof ConfigurationError
  )
}
