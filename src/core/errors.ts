/** How the retry code may react: try again, wait for the server's time, renew the token, or give up. */
export type RetryVerdict =
  | { kind: 'never' }
  | { kind: 'once' }
  | { kind: 'backoff' }
  | { kind: 'wait'; untilMs: number; scope: 'rate' | 'daily' }
  | { kind: 'renew-token' }

interface Facts {
  /** The action, e.g. `GET /users (users.list)`. */
  tried: string
  expected?: string
  came: string
  todo?: string
  cause?: unknown
}

/** The message says what was tried and what happened. It contains no secret and no personal data. */
export class CallsheetError extends Error {
  readonly code: string
  readonly facts: Facts
  constructor(code: string, facts: Facts) {
    super(sentence(facts), { cause: facts.cause })
    this.name = new.target.name
    this.code = code
    this.facts = facts
  }
  get retry(): RetryVerdict {
    return { kind: 'never' }
  }
  /** The process exit code that this error leads to (`docs/run-every-night.md`). */
  get exitCode(): number {
    return 1
  }
}

export class ConfigurationError extends CallsheetError {
  override get exitCode(): number {
    return 2
  }
}

export class AuthenticationError extends CallsheetError {}

/** The token lacks scopes, which the text names. A renewed token would lack them too. */
export class MissingScopeError extends CallsheetError {
  readonly scopes: readonly string[]
  constructor(scopes: readonly string[], facts: Facts) {
    super('missing_scope', facts)
    this.scopes = scopes
  }
}

/** A 429, or a quota that is known to be spent: the day's (`daily`), or that of a shorter time (`rate`). */
export class RateLimitedError extends CallsheetError {
  readonly untilMs: number
  readonly scope: 'rate' | 'daily'
  constructor(scope: 'rate' | 'daily', untilMs: number, facts: Facts) {
    super(scope === 'daily' ? 'daily_quota_spent' : 'rate_limited', facts)
    this.scope = scope
    this.untilMs = untilMs
  }
  override get retry(): RetryVerdict {
    return { kind: 'wait', untilMs: this.untilMs, scope: this.scope }
  }
  override get exitCode(): number {
    return this.scope === 'daily' ? 3 : 1
  }
}

/** Whether the day's quota is spent, so that a later run must do the rest. */
export function isDaySpent(error: unknown): boolean {
  return error instanceof RateLimitedError && error.scope === 'daily'
}

/** The service refused or failed. `serviceCode` is the code in the body, always as a string. */
export class ServiceError extends CallsheetError {
  readonly operation: string
  readonly status: number
  readonly serviceCode: string | undefined
  readonly trackingId: string | undefined
  readonly verdict: RetryVerdict
  /** The answer's details about single items or fields, as received: for the caller, never for a log. */
  readonly details: readonly unknown[]
  /** When the service responded, by its own clock. */
  readonly serverDateMs: number | undefined
  constructor(
    answer: {
      operation: string
      status: number
      serviceCode?: string | undefined
      trackingId?: string | undefined
      verdict: RetryVerdict
      details?: readonly unknown[]
      serverDateMs?: number | undefined
    },
    facts: Facts,
  ) {
    super('service_error', facts)
    this.operation = answer.operation
    this.status = answer.status
    this.serviceCode = answer.serviceCode
    this.trackingId = answer.trackingId
    this.verdict = answer.verdict
    this.details = answer.details ?? []
    this.serverDateMs = answer.serverDateMs
  }
  override get retry(): RetryVerdict {
    return this.verdict
  }
}

/** A call cannot be sent because of one of its values, or its answer does not match the request. */
export class UnusableValueError extends CallsheetError {}

/** The bearer is valid, but the service does not accept it for this operation. */
export class NotAllowedError extends ServiceError {}

/** An error that says whether another try may succeed. */
abstract class TryError extends CallsheetError {
  readonly retryable: boolean
  constructor(code: string, retryable: boolean, facts: Facts) {
    super(code, facts)
    this.retryable = retryable
  }
  override get retry(): RetryVerdict {
    return { kind: this.retryable ? 'backoff' : 'never' }
  }
}

/** The network failed or the body was not as expected (HTML, broken or truncated JSON, too large). */
export class TransportError extends TryError {}

/** A write was sent, and its outcome is unknown: the answer was lost, or reports a server error. */
export class OutcomeUnknownError extends CallsheetError {}

/** A page token is invalid or expired, or a list changed or ended early: the list is read again. */
export class PageTokenError extends CallsheetError {}

/** The store of archived files, a directory or a bucket, failed to read or write, or is not safe to use. */
export class StoreError extends CallsheetError {}

/** A message could not be delivered: by mail, to a webhook or to a command. */
export class DeliveryError extends TryError {}

/** The database failed to read or write. */
export class LoadError extends CallsheetError {}

/** So many rows would be deleted at once that a person must approve it. Exit code 4. */
export class LargeDropError extends CallsheetError {
  override get exitCode(): number {
    return 4
  }
}

/** Another process has the account's lease. Exit code 5. */
export class BusyError extends CallsheetError {
  override get exitCode(): number {
    return 5
  }
}

/** This process lost its lease: another one took the account over. Nothing more may be written. */
export class FencedError extends CallsheetError {}

function sentence(facts: Facts): string {
  const expected = facts.expected === undefined ? '' : ` Expected: ${facts.expected}.`
  const todo = facts.todo === undefined ? '' : ` What to do: ${facts.todo}.`
  return `${facts.tried}: ${facts.came}.${expected}${todo}`
}

/** Whether a failed call leaves only its own question open, so that the run can continue. */
export function isOfOneCall(error: unknown): error is CallsheetError {
  return (
    error instanceof ServiceError ||
    error instanceof TransportError ||
    error instanceof UnusableValueError ||
    error instanceof MissingScopeError ||
    error instanceof RateLimitedError
  )
}
