import {
  type DeclaredError,
  type Operation,
  type RateLabel,
  scopesOf,
  tried,
  wholeAccountScopes,
} from '../../core/define/operation.ts'
import {
  type CallsheetError,
  MissingScopeError,
  PageTokenError,
  RateLimitedError,
  type RetryVerdict,
  ServiceError,
} from '../../core/errors.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { parseLossless } from '../../core/values/json.ts'
import { describe } from './describe.ts'
import { type ErrorBody, errorFields } from './error-body.ts'
import {
  type AnswerHeaders,
  header,
  retryAfterMs,
  serverDateMs,
  trackingId,
  trackingNote,
} from './headers.ts'

/** An unsuccessful answer: its status, its headers and the error in its body. */
export interface Refusal {
  operation: Operation
  status: number
  headers: AnswerHeaders
  body: ErrorBody
  /** True if the request had a `next_page_token`. */
  paged: boolean
  nowMs: number
  /** Words in the request for which the service may have words of its own. */
  words?: ReadonlySet<string>
}

/**
 * Returns the error that a refusal means. A verdict of `renew-token` means that the bearer may be at fault;
 * if the request had a page token, the caller must find out which of the two was refused.
 */
export function refusalError(refusal: Refusal): CallsheetError {
  const { status, body, paged } = refusal
  if (isRateLimit(refusal)) return rateLimited(refusal)
  if (isScopeRefusal(refusal)) return missingScope(refusal)
  if (paged && isPageTokenRefusal(refusal)) return pageTokenError(refusal.operation, came(refusal))
  if (status === 401 || (body.code === '124' && (status === 400 || status === 200))) {
    return serviceError(refusal, { kind: 'renew-token' })
  }
  if (status === 503) {
    const waitMs = retryAfterMs(refusal.headers, refusal.nowMs)
    if (waitMs !== undefined) {
      return serviceError(refusal, { kind: 'wait', untilMs: refusal.nowMs + waitMs, scope: 'rate' })
    }
  }
  const passing =
    status >= 500 ||
    PASSING.has(String(status)) ||
    (status === 200 && (/^5\d\d$/.test(body.code ?? '') || PASSING.has(body.code ?? '')))
  if (passing) return serviceError(refusal, { kind: 'backoff' })
  // A 200 with an error but without a code may be temporary or permanent, so it is retried once.
  const isUnknown = status < 300 && body.code === undefined
  return serviceError(refusal, { kind: isUnknown ? 'once' : 'never' })
}

export function pageTokenError(operation: Operation, what: string): PageTokenError {
  return new PageTokenError('page_token', {
    tried: tried(operation),
    came: `the page token is invalid or expired: ${what}`,
    todo: 'run the command again: it reads this list from its first page',
  })
}

export function serviceError(refusal: Refusal, verdict: RetryVerdict): ServiceError {
  return new ServiceError(
    {
      operation: refusal.operation.id,
      status: refusal.status,
      serviceCode: refusal.body.code,
      trackingId: trackingId(refusal.headers),
      verdict,
      details: refusal.body.details,
      serverDateMs: serverDateMs(refusal.headers),
    },
    { tried: tried(refusal.operation), ...explained(refusal) },
  )
}

function came(refusal: Pick<Refusal, 'status' | 'headers' | 'body'>): string {
  const code = refusal.body.code === undefined ? '' : ` with code ${refusal.body.code.slice(0, 40)}`
  const said = describe(refusal.body.message)
  return `HTTP ${refusal.status}${code}${said === '' ? '' : `, "${said}"`}${trackingNote(refusal.headers)}`
}

/** Adds the documented meaning, if there is one, to the service's own message. */
function explained(refusal: Refusal): { came: string; todo?: string } {
  const { operation, status, body } = refusal
  const declared = operation.errors?.find((one) => one.status === status && one.code === body.code)
  const advice = adviceOnWords(refusal, declared) ?? declared?.todo
  return {
    came: declared === undefined ? came(refusal) : `${came(refusal)}: ${declared.means}`,
    ...(advice === undefined ? todo(status) : { todo: advice }),
  }
}

/** Advises to set `accounts[].words` if the service may have refused a word in the request. */
function adviceOnWords({ status, words }: Refusal, declared?: DeclaredError): string | undefined {
  if (words === undefined || words.size === 0 || !MAY_MEAN_WORDS.has(status)) return undefined
  if (declared !== undefined && declared.ofWords !== true) return undefined
  return `if the service uses another word for ${[...words].join(' or ')}, set it in accounts[].words`
}

/** 200 is here because a refusal may come inside a success. */
const MAY_MEAN_WORDS = new Set([200, 400, 422])

function todo(status: number): { todo?: string } {
  if (status === 403)
    return {
      todo: 'check that the account has the feature of this request, and that the app may use it',
    }
  return status >= 500 ? { todo: 'run again later; the fault is in the service' } : {}
}

function isPageTokenRefusal({ operation, status, body }: Refusal): boolean {
  if (status !== 400 && status !== 200) return false
  const codes = operation.paging?.style === 'token' ? operation.paging.tokenErrorCodes : []
  if (body.code === '300' || codes.includes(body.code ?? '')) return true
  // On a request with a page token, a 400 without a code counts as a refusal of that token.
  return status === 400 && (body.code === undefined || /page.?token/i.test(body.message))
}

function isScopeRefusal({ status, body }: Refusal): boolean {
  if (status !== 400 && status !== 200 && status !== 401 && status !== 403) return false
  return body.code === '4711' || (body.code === '104' && /scope|^$/i.test(body.message))
}

/** Request Timeout and Too Early: neither means that the request was wrong. */
const PASSING = new Set(['408', '425'])

/** A quota refusal may come inside a 403, or inside a 200 with the code in the body. */
function isRateLimit({ status, body }: Refusal): boolean {
  return (
    status === 429 || body.code === '429' || (status === 403 && /rate limit/i.test(body.message))
  )
}

function rateLimited(refusal: Refusal): RateLimitedError {
  const { headers, body, nowMs, operation } = refusal
  const waitMs = retryAfterMs(headers, nowMs)
  const scope = limitScope(body.message, header(headers, 'x-ratelimit-type'), waitMs)
  const rateWaitMs = waitMs ?? DEFAULT_WAIT_MS[operation.rate]
  const untilMs = nowMs + (scope === 'daily' ? untilReset(refusal, waitMs) : rateWaitMs)
  return new RateLimitedError(scope, untilMs, {
    tried: `${tried(operation)}, rate label ${operation.rate}`,
    came: came(refusal),
    ...(scope === 'daily' ? { todo: 'run again after the daily reset at 00:00 UTC' } : {}),
  })
}

/** The message is checked first, because the headers may describe a quota other than the exceeded one. */
function limitScope(
  message: string,
  type: string | undefined,
  waitMs: number | undefined,
): 'rate' | 'daily' {
  if (/\bdaily|per.day\b/i.test(message)) return 'daily'
  if (/per.(second|minute)/i.test(message)) return 'rate'
  if (type !== undefined) return /daily/i.test(type) ? 'daily' : 'rate'
  return (waitMs ?? 0) > LONGEST_RATE_WAIT_MS ? 'daily' : 'rate'
}

/** Milliseconds to 00:00 UTC by the service's clock (else ours), or the requested wait if that is longer. */
function untilReset({ headers, nowMs }: Refusal, waitMs: number | undefined): number {
  const serverMs = serverDateMs(headers) ?? nowMs
  const toMidnight = DAY_MS - (serverMs % DAY_MS)
  return Math.max(toMidnight, waitMs ?? 0)
}

function missingScope(refusal: Refusal): MissingScopeError {
  const { operation, body } = refusal
  const named = namedScopes(body.message)
  const scopes = named.length > 0 ? named : scopesOf(operation)
  return new MissingScopeError(scopes, {
    tried: tried(operation),
    expected: `a token with ${scopes.length > 0 ? `the scope ${scopes.join(' or ')}` : 'more scopes'}`,
    came: came(refusal),
    todo: ADD_SCOPE,
  })
}

/** The error of a token whose scopes allow the call but show only data of the token's own user. */
export function narrowScope(operation: Operation, granted: readonly string[]): MissingScopeError {
  const wide = wholeAccountScopes(operation)
  return new MissingScopeError(wide, {
    tried: tried(operation),
    expected: `a token with the scope ${wide.join(' or ')}, which covers the whole account`,
    came: `the token has the scope ${granted.join(', ')}, which covers only one user's own data`,
    todo: ADD_SCOPE,
  })
}

export function readErrorBody(body: Buffer): ErrorBody {
  const text = body.toString('utf8', 0, MAX_READ_BYTES).replace(/^\uFEFF/, '')
  try {
    const parsed: unknown = parseLossless(text)
    if (typeof parsed === 'object' && parsed !== null) return errorFields(parsed)
  } catch {
    // Almost-JSON: a message with unescaped quotes. The code in front of it can still be read.
    const code = /"code"\s*:\s*"?([\w]+)"?/.exec(text)?.[1]
    const message = /"message"\s*:\s*"(.*)/s.exec(text)?.[1]
    if (text.trimStart().startsWith('{')) return { code, message: message ?? '', details: [] }
  }
  return { code: undefined, message: '', details: [] }
}

/** Reads the scopes that a refusal names: `... does not contain scopes:[a, b]`. */
function namedScopes(message: string): string[] {
  const list = /scopes?\s*:?\s*\[([^\]]*)\]/i.exec(message)?.[1] ?? ''
  return list.split(/[\s,]+/).filter((scope) => /^[\w:.-]+$/.test(scope))
}

/**
 * The wait after a rate refusal without Retry-After, in milliseconds. A limit per second refuses a slightly
 * too high rate near the end of a second: waiting a whole second would waste most of the next one.
 */
export const DEFAULT_WAIT_MS: Readonly<Record<RateLabel, number>> = {
  LIGHT: 200,
  MEDIUM: 200,
  HEAVY: 200,
  'RESOURCE-INTENSIVE': 6_000,
}
/** A longer wait means a daily quota, if the service does not say which quota was exceeded. */
const LONGEST_RATE_WAIT_MS = 900_000

/** A token keeps the scopes of its grant, so the old token must end. */
const ADD_SCOPE =
  "add the scope on the app's configuration page, run callsheet logout to end the old token, then run again"

const MAX_READ_BYTES = 65_536
