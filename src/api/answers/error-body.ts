import type { Operation } from '../../core/define/operation.ts'
import { parseLossless, rawNumber } from '../../core/values/lossless-json.ts'
import { declares, errorSign, errorSignWithin, isAboutError } from './error-signs.ts'

/**
 * What an error answer says about itself. Every part may be missing: the body may be empty, HTML or almost-
 * JSON.
 */
export interface ErrorBody {
  /** Always a string: `1003_001` is not 1003. */
  code: string | undefined
  /** As received: for matching only. What is shown or logged is `describe`. */
  message: string
  /** What it says of single items (`phoneNumber`, `reason`) or fields (`field`, `message`), as received. */
  details: readonly unknown[]
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

/** The fields stand in the body itself, or in a field called `error`, which may be a text too. */
export function errorFields(body: object): ErrorBody {
  const { error } = body as { error?: unknown }
  const within = isError(error) && !hasCode(body) ? error : body
  const { code, message: said, errors, ...others } = within as Readonly<Record<string, unknown>>
  const message = said ?? (typeof error === 'string' ? error : problemIn(others))
  const list = listOf(message)
  return {
    code: codeOf(code),
    message:
      list === undefined && typeof message === 'string'
        ? message
        : message === undefined
          ? ''
          : saidIn(list),
    details: (list ?? (Array.isArray(errors) ? (errors as unknown[]) : [])).slice(0, MOST_DETAILS),
  }
}

/** What RFC 9457 calls a problem, and short names of a message. */
function problemIn({ msg, title, detail }: Readonly<Record<string, unknown>>): string | undefined {
  const texts = [msg, title, detail].filter((one) => typeof one === 'string' && one !== '')
  return texts.length === 0 ? undefined : texts.join(': ')
}

function isError(error: unknown): error is object {
  const isObject = typeof error === 'object' && error !== null && !Array.isArray(error)
  return isObject && Object.keys(error).length > 0
}

/** A code of success says nothing of an error beside it. */
function hasCode(body: object): boolean {
  const code = codeOf((body as { code?: unknown }).code)
  return code !== undefined && !SUCCESS.test(code)
}

/** None where it is null or empty. */
function codeOf(code: unknown): string | undefined {
  if (typeof code === 'number') return String(code)
  if (typeof code !== 'string') return rawNumber(code)
  return code.trim() === '' ? undefined : code.trim()
}

/**
 * What an answer of a list says is wrong with it, whatever its status and whatever is in the list: a code
 * that is none of success, or another field that speaks of an error. HTTP's own number of a success is one,
 * unless its words are of something else and nothing was listed.
 */
export function errorBeside(
  body: object,
  operation: Operation,
  listed: boolean,
): ErrorBody | undefined {
  const fields = errorFields(body)
  const { code, message } = fields
  const sign = signIn(body, operation, fields) ?? signOf(errorSignWithin(body, operation), fields)
  if (declares(operation, 'code')) return sign
  if (code !== undefined && !isSuccess(code, message, listed)) return fields
  if (sign !== undefined || declares(operation, 'message')) return sign
  return code === undefined && !listed && isAboutError(message) ? fields : undefined
}

function isSuccess(code: string, message: string, listed: boolean): boolean {
  if (SUCCESS.test(code)) return true
  if (!/^20\d$/.test(code)) return false
  return message === '' || SUCCESS_WORDS.test(message) || (listed && !isAboutError(message))
}

/** An error that has no code: its field stands in for the message, if there is none. */
function signIn(body: object, operation: Operation, fields: ErrorBody): ErrorBody | undefined {
  return signOf(errorSign(body, operation), fields)
}

function signOf(sign: ReturnType<typeof errorSign>, fields: ErrorBody): ErrorBody | undefined {
  if (sign === undefined) return undefined
  const field = sign.field.toLowerCase()
  const { value } = sign
  const words = value === '' ? field : `${field}: ${value}`
  const status = /^[45]\d\d$/.test(value) ? value : undefined
  return {
    ...fields,
    code: status ?? (isSuccess(fields.code ?? '0', '', true) ? undefined : fields.code),
    message: fields.message === '' ? words : fields.message,
  }
}

/**
 * The same of an answer that is one record. That may have a code or a message of its own: only the two
 * together are an error, or another field that speaks of one.
 */
export function errorInside(body: object, operation: Operation): ErrorBody | undefined {
  return 'message' in body && 'code' in body
    ? errorBeside(body, operation, false)
    : signIn(body, operation, errorFields(body))
}

/** What a list of failures says, without saying of what. */
function saidIn(list: readonly unknown[] = []): string {
  const reasons = list.slice(0, MOST_DETAILS).flatMap((one) => {
    const { reason } = (one ?? {}) as { reason?: unknown }
    return typeof reason === 'string' ? [reason] : []
  })
  return reasons.length === 0 ? '(a list)' : [...new Set(reasons)].join('; ')
}

/** A message that is a list of what failed or one failure, or a text that holds one (code 1000). */
function listOf(message: unknown): unknown[] | undefined {
  if (typeof message !== 'string') return asList(message)
  const from = message.search(/[[{]/)
  if (from < 0) return undefined
  try {
    const json = message.slice(
      from,
      Math.max(message.lastIndexOf(']'), message.lastIndexOf('}')) + 1,
    )
    const list = asList(parseLossless(json))
    // Among words, brackets may hold anything.
    return json === message.trim() || list?.some(isFailure) === true ? list : undefined
  } catch {
    return undefined
  }
}

function asList(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[]
  return isFailure(value) ? [value] : undefined
}

function isFailure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'reason' in value
}

/**
 * The service's words without what may be personal or secret or forge a line of a log: addresses, numbers,
 * tokens, long identifiers, what it quotes, and what is written like a name. A name in plain small letters
 * looks like any other word.
 */
export function describe(message: string): string {
  // A word that is cut in two may be half of an address.
  const shown =
    message.length > MAX_SHOWN ? message.slice(0, MAX_SHOWN).replace(/\S*$/, '…') : message
  return shown
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\S+@\S+/g, '<address>')
    .replace(/https?:\S+/g, '<link>')
    .replace(/access_token=[^\s"'&]*/gi, '<token>')
    .replace(/[\w-]{10,}(?:\.[\w-]{10,}){2}/g, '<token>')
    .replace(/(?<![\w+])(?=[\w/=-]*\d)(?=[\d-]*[A-Za-z])[\w+/=-]{12,}/g, '<id>')
    .replace(/\+?\d[\d ()-]{4,}\d/g, '<number>')
    .replace(/(?<![\p{L}\d])(["'`“‘«„])(?:(?!\1|["'`”’»“]).){1,200}["'`”’»“]/gu, '<text>')
    .replace(LIKE_A_NAME, (word) => (API_WORDS.has(word.toLowerCase()) ? word : '<name>'))
    .replace(/<name>(?:[ .,-]*<name>)+/g, '<name>')
    .trim()
    .replace(/\.$/, '')
}

/** The scopes that a refusal names: `... does not contain scopes:[a, b]`. */
export function namedScopes(message: string): string[] {
  const list = /scopes?\s*:?\s*\[([^\]]*)\]/i.exec(message)?.[1] ?? ''
  return list.split(/[\s,]+/).filter((scope) => /^[\w:.-]+$/.test(scope))
}

/** A word with a capital letter, or one that is not in the letters of the service's own language. */
const LIKE_A_NAME =
  /(?<![<\p{L}\p{M}\d_:/-])(?=[\p{L}\p{M}'’-]*(?:\p{Lu}|\P{ASCII}))\p{L}[\p{L}\p{M}'’-]*/gu
/** What begins the sentences of an API, and what it writes in capitals. */
const API_WORDS = new Set(
  `a access account all an and api app application are at authentication authorization bad bearer body
  call can cannot code could daily data date does do each email error exception expired failed fault
  feature field file for forbidden format from gateway get has header heavy http https id if in
  internal invalid is it its json jwt label length light limit list maximum medium message method
  minimum missing more must next no not nothing null number numbers oauth of on one only operation
  or page parameter path per permission phone please plan post put query rate recording recordings
  request required resource resource-intensive response retry role scope scopes server service
  session sessions some something status such temporary that the there this time timeout to today
  token too try type unable unauthorized unavailable unexpected unknown unprocessable unsupported
  url use user users utc validation value version was we whiteboard whiteboards with you your`.split(
    /\s+/,
  ),
)

const SUCCESS = /^(?:0+|ok|success)$/i
const SUCCESS_WORDS = /^\W*(?:ok|okay|done|success|successful|successfully|succeeded)\b/i
const MAX_READ_BYTES = 65_536
/** No request has so many items. */
const MOST_DETAILS = 1_000
const MAX_SHOWN = 300
