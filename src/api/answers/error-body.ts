import type { Operation } from '../../core/define/operation.ts'
import { isRecord, parseLossless, rawNumber } from '../../core/values/json.ts'

/** The parts of an error answer. Each may be missing: the body may be empty, HTML or almost-JSON. */
export interface ErrorBody {
  /** Always a string: `1003_001` is not 1003. */
  code: string | undefined
  /** As received: for matching only. Messages and logs show the output of `describe`. */
  message: string
  /** Reasons for single items (`phoneNumber`, `reason`) or fields (`field`, `message`), as received. */
  details: readonly unknown[]
}

/** Reads the error from the body itself, or from its `error` field, which may be an object or a string. */
export function errorFields(body: object): ErrorBody {
  const { error } = body as { error?: unknown }
  const isNested = isRecord(error) && Object.keys(error).length > 0 && !hasCode(body)
  const within = isNested ? error : body
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

/** Reads the message from `msg`, or from `title` and `detail` (RFC 9457). */
function problemIn({ msg, title, detail }: Readonly<Record<string, unknown>>): string | undefined {
  const texts = [msg, title, detail].filter((one) => typeof one === 'string' && one !== '')
  return texts.length === 0 ? undefined : texts.join(': ')
}

/** A success code does not count: the error nested beside it may have its own code. */
function hasCode(body: object): boolean {
  const code = codeOf((body as { code?: unknown }).code)
  return code !== undefined && !SUCCESS.test(code)
}

/** Undefined unless the code is a number or a string that is not blank. */
function codeOf(code: unknown): string | undefined {
  if (typeof code === 'number') return String(code)
  if (typeof code !== 'string') return rawNumber(code)
  return code.trim() === '' ? undefined : code.trim()
}

/**
 * Returns the error in a list answer, which may have status 200 and records: a code other than success,
 * another field that reports an error, or an error message if there is neither a code nor a record. A code of
 * 20x is a success if its message is empty or begins with a success word, or comes with records and reports
 * no error.
 */
export function errorBeside(
  body: object,
  operation: Operation,
  listed: boolean,
): ErrorBody | undefined {
  const fields = errorFields(body)
  const { code, message } = fields
  const sign = signOf(errorSign(body, operation) ?? errorSignWithin(body, operation), fields)
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

/** Makes an error from a field that reports one; the field becomes the message if there is none. */
function signOf(sign: ReturnType<typeof errorSign>, fields: ErrorBody): ErrorBody | undefined {
  if (sign === undefined) return undefined
  const field = sign.field.toLowerCase()
  const { value } = sign
  const told = value === '' ? field : `${field}: ${value}`
  const status = /^[45]\d\d$/.test(value) ? value : undefined
  return {
    ...fields,
    code: status ?? (isSuccess(fields.code ?? '0', '', true) ? undefined : fields.code),
    message: fields.message === '' ? told : fields.message,
  }
}

/**
 * Like `errorBeside`, for an answer that is one record. A record may have a field `code` or `message` of its
 * own, so these two count as an error only together. Any other undeclared field that reports an error counts.
 */
export function errorInside(body: object, operation: Operation): ErrorBody | undefined {
  return 'message' in body && 'code' in body
    ? errorBeside(body, operation, false)
    : signOf(errorSign(body, operation), errorFields(body))
}

/** Joins the reasons in a list of failures, without the failed items, which may be personal. */
function saidIn(list: readonly unknown[] = []): string {
  const reasons = list.slice(0, MOST_DETAILS).flatMap((one) => {
    const { reason } = (one ?? {}) as { reason?: unknown }
    return typeof reason === 'string' ? [reason] : []
  })
  return reasons.length === 0 ? '(a list)' : [...new Set(reasons)].join('; ')
}

/** Returns the failures in a message: a list, a single failure, or text that contains either as JSON. */
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
    // Brackets within a sentence count only if they contain a failure.
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
 * Finds the first top-level field by which an answer reports an error, such as `success: false`. Fields that
 * the operation declares do not count: an order may have the status `failed`.
 */
function errorSign(
  body: object,
  operation: Operation,
): { field: string; value: string } | undefined {
  for (const [field, value] of Object.entries(body))
    if (isSign(field, value) && !declares(operation, field))
      return { field, value: plainText(value) }
  return undefined
}

/** Like `errorSign`, for the undocumented objects in an envelope, such as `meta`. */
function errorSignWithin(body: object, operation: Operation): ReturnType<typeof errorSign> {
  for (const [field, inner] of Object.entries(body)) {
    if (!isRecord(inner) || declares(operation, field)) continue
    for (const [name, value] of Object.entries(inner))
      if (isSign(name, value)) return { field: `${field}.${name}`, value: plainText(value) }
  }
  return undefined
}

/** Like `errorSign`, for an answer that has no declaration, such as a file's. */
export function saysError(body: object): boolean {
  return Object.entries(body).some(([field, value]) => isSign(field, value))
}

function isSign(field: string, value: unknown): boolean {
  return TESTS.find(({ names }) => names.has(plainName(field)))?.speaks(value) === true
}

export function declares({ response }: Operation, field: string): boolean {
  return 'shape' in response && Object.hasOwn(response.shape as object, field)
}

/** Returns true if a message contains an error word, except in phrases such as `no errors`. */
export function isAboutError(message: string): boolean {
  return ERROR_WORDS.test(message.replaceAll(NO_ERROR, ''))
}

/** A value as text; empty for objects, lists and null. */
function plainText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
}

/** Turns `errorCode`, `error_code` and `is-error-code` into one name. */
export function plainName(field: string): string {
  return field
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^(?:is|has)(?=.)/, '')
}

function saysNo(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && NO.test(value.trim()))
}

/** True unless the value is empty, a success code, or a denial such as `none`. */
function saysSomething(value: unknown): boolean {
  if (rawNumber(value) !== undefined) return true
  if (typeof value === 'string') return !NOTHING.test(value.trim())
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.values(value).some(saysSomething)
  return value !== undefined && value !== null && value !== false && value !== 0
}

function saysFailed(value: unknown): boolean {
  if (typeof value === 'number') return value >= 400 && value <= 599
  return typeof value === 'string' && FAILED.test(value.trim())
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

const SUCCESS = /^(?:0+|ok|success)$/i
const SUCCESS_WORDS = /^\W*(?:ok|okay|done|success|successful|successfully|succeeded)\b/i
/** The maximum number of failures that are read: no request has as many items. */
const MOST_DETAILS = 1_000
const TESTS = [
  { names: words('success successful succeeded ok'), speaks: saysNo },
  {
    names:
      words(`error errors errorcode errorno errormessage errormsg errortext errordescription errordetail
      errordetails errorinfo errortype errorreason fail failed failure failures fault exception`),
    speaks: saysSomething,
  },
  { names: words('status state result outcome statuscode httpstatuscode'), speaks: saysFailed },
]
const NO = /^(?:false|no|0|fail\w*|errors?)$/i
const NOTHING = /^(?:0+|false|no|none|null|nil|n\/a|ok|okay|success\w*|no errors?)?$/i
const FAILED =
  /^(?:(?!no[ _-])[\w -]*(?:err(?:or(?:s|ed)?)?|fail(?:ed|ure|s)?|exception|fatal)|[45]\d\d)$/i
const ERROR_WORDS = new RegExp(
  '\\b(?:errors?|exceptions?|fail(?:ed|ures?|s)?|unavailable|denied|forbidden|unauthori[sz]ed|' +
    'timed[ -]?out|timeout|permissions?|try again|retry|invalid|expired|exceeded|overload(?:ed)?|' +
    'refused|rejected|aborted|throttled|maintenance|unable|too many|bad (?:request|gateway)|' +
    "(?:went|is) wrong|(?:can|could)(?:not|n['’]t| not)|" +
    'not (?:allowed|available|authori[sz]ed|permitted|implemented|ready))\\b',
  'i',
)
const NO_ERROR = /\b(?:no|without|0|zero) (?:\w+ )?(?:errors?|exceptions?|failures?)\b/gi
