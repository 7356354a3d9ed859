import type { Operation } from '../../core/define/operation.ts'
import { rawNumber } from '../../core/values/lossless-json.ts'

/**
 * The field by which an answer speaks of an error, beside the code and the message that the documents know,
 * and its value; undefined if none does. Only the answer's own fields count, not those of the records in
 * it, and none that the operation declares: an order may have a status of `failed`.
 */
export function errorSign(
  body: object,
  operation: Operation,
): { field: string; value: string } | undefined {
  for (const [field, value] of Object.entries(body))
    if (isSign(field, value) && !declares(operation, field))
      return { field, value: plainText(value) }
  return undefined
}

/** The same of the objects that an envelope holds and the documents do not show, such as `meta`. */
export function errorSignWithin(body: object, operation: Operation): ReturnType<typeof errorSign> {
  for (const [field, inner] of Object.entries(body)) {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue
    if (declares(operation, field)) continue
    for (const [name, value] of Object.entries(inner))
      if (isSign(name, value)) return { field: `${field}.${name}`, value: plainText(value) }
  }
  return undefined
}

/** The same of an answer that no document describes. */
export function saysError(body: object): boolean {
  return Object.entries(body).some(([field, value]) => isSign(field, value))
}

function isSign(field: string, value: unknown): boolean {
  return TESTS.find(({ names }) => names.has(plainName(field)))?.speaks(value) === true
}

/** Whether the documents show the field in the operation's answer. */
export function declares({ response }: Operation, field: string): boolean {
  return 'shape' in response && Object.hasOwn(response.shape as object, field)
}

/** Whether a message is about something that went wrong. */
export function isAboutError(message: string): boolean {
  return ERROR_WORDS.test(message.replaceAll(NO_ERROR, ''))
}

/** Empty for what is no plain value. */
function plainText(value: unknown): string {
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  return isPlain ? String(value) : typeof value === 'string' ? value : ''
}

/** `errorCode`, `error_code` and `is-error-code` are one name. */
export function plainName(field: string): string {
  return field
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^(?:is|has)(?=.)/, '')
}

function saysNo(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && NO.test(value.trim()))
}

/** Anything but nothing, or a code of success. */
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

interface SignTest {
  names: ReadonlySet<string>
  speaks(value: unknown): boolean
}

const TESTS: readonly SignTest[] = [
  { names: words('success successful succeeded ok'), speaks: saysNo },
  {
    names:
      words(`error errors errorcode errorno errormessage errormsg errortext errordescription errordetail
      errordetails errorinfo errortype errorreason fail failed failure failures fault exception`),
    speaks: saysSomething,
  },
  { names: words('status state result outcome statuscode httpstatuscode'), speaks: saysFailed },
]

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

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
