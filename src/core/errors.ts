/**
 * What the retry code may do about an error: try again, once or more often, wait for the server's time,
 * renew the token, or nothing.
 */
export type RetryVerdict =
  | { kind: 'never' }
  | { kind: 'once' }
  | { kind: 'backoff' }
  | { kind: 'wait'; untilMs: number; scope: 'rate' | 'daily' }
  | { kind: 'renew-token' }

interface Facts {
  /** What was being done, e.g. `GET /users (users.list)`. */
  tried: string
  expected?: string
  came: string
  /** What the person who reads this can do about it. */
  todo?: string
  cause?: unknown
}

/**
 * Every error of ours: says what was tried, expected and came, and what to do. Never holds a secret
 * or personal data.
 */
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
  /** The process exit code that this error leads to (`design.md`: the command line). */
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

/** The token lacks scopes. Neither renewed nor skipped: the scopes are named. */
export class MissingScopeError extends CallsheetError {
  readonly scopes: readonly string[]
  constructor(scopes: readonly string[], facts: Facts) {
    super('missing_scope', facts)
    this.scopes = scopes
  }
}

/** A 429, or a quota known to be spent. `daily` pauses the run. */
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

/** Whether the day's quota is what ended it: what is left is for the next run. */
export function isDaySpent(error: unknown): boolean {
  return error instanceof RateLimitedError && error.scope === 'daily'
}

/** The service refused or failed: keyed by operation, status and the body's own code (always a string). */
export class ServiceError extends CallsheetError {
  readonly operation: string
  readonly status: number
  readonly serviceCode: string | undefined
  readonly trackingId: string | undefined
  readonly verdict: RetryVerdict
  /** What the answer says of single items or fields, as received: for whoever asked, and for no log. */
  readonly details: readonly unknown[]
  /** When it answered, by its own clock. */
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

/** A call that cannot be written as an address, for what one of its values is: nothing was sent. */
export class UnusableValueError extends CallsheetError {}

/** The bearer is good, and the service does not take it for this operation. */
export class NotAllowedError extends ServiceError {}

/** The network failed or the body was not what was due (HTML, broken or truncated JSON, too large). */
export class TransportError extends CallsheetError {
  readonly retryable: boolean
  constructor(code: string, retryable: boolean, facts: Facts) {
    super(code, facts)
    this.retryable = retryable
  }
  override get retry(): RetryVerdict {
    return { kind: this.retryable ? 'backoff' : 'never' }
  }
}

/** A write was sent, and nobody can say whether it was done: the answer was lost, or blames the service. */
export class OutcomeUnknownError extends CallsheetError {}

/** A page token that is invalid or expired: the slice starts again at its first page. */
export class PageTokenError extends CallsheetError {}

/**
 * The store of archived files, a directory or a bucket, could not take or give what was asked: nothing
 * half-stored is left.
 */
export class StoreError extends CallsheetError {}

/** A message could not be handed over: by mail, to a webhook or to a command. */
export class DeliveryError extends CallsheetError {
  readonly retryable: boolean
  constructor(code: string, retryable: boolean, facts: Facts) {
    super(code, facts)
    this.retryable = retryable
  }
  override get retry(): RetryVerdict {
    return { kind: this.retryable ? 'backoff' : 'never' }
  }
}

/** The database could not take or give what was asked. */
export class LoadError extends CallsheetError {}

/** So much is gone at once that a person has to say whether that is right. Exit code 4. */
export class LargeDropError extends CallsheetError {
  override get exitCode(): number {
    return 4
  }
}

/** Another process holds the account. Exit code 5. */
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

/** Errors of one detail call that do not end the run. */
export function isOfOneCall(error: unknown): error is CallsheetError {
  return (
    error instanceof ServiceError ||
    error instanceof TransportError ||
    error instanceof UnusableValueError ||
    error instanceof MissingScopeError ||
    error instanceof RateLimitedError
  )
}
