/**
 * `JSON.parse` without its silent losses: integers past 2^53 and numbers that a double cannot hold (1e400,
 * more than 17 digits) become `JSON.rawJSON` objects, which `JSON.stringify` prints as they came. Trailing
 * text is refused, a byte-order mark is not. The slow parse with a source reviver, five times the cost,
 * runs only for texts that need it.
 */
export function parseLossless(text: string): unknown {
  const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
  return mayLoseDigits(json) ? lossless.parse(json, keepDigits) : JSON.parse(json)
}

/** The digits of a number that `parseLossless` kept as they came; undefined for any other value. */
export function rawNumber(value: unknown): string | undefined {
  return lossless.isRawJSON(value) ? value.rawJSON : undefined
}

/**
 * Whether a number in the text may be too long or too large for a double. Looks at every sixteenth
 * character only, since a number that is too long covers one, and then for exponents of three digits. May
 * be true without need.
 */
export function mayLoseDigits(json: string): boolean {
  for (let at = LONG - 1; at < json.length; at += LONG) {
    if (!isDigitOrPoint(json.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isDigitOrPoint(json.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end < json.length && isDigitOrPoint(json.charCodeAt(end))) end++
    if (end - start >= LONG && beginsNumber(json, start)) return true
    // A long run of digits inside a text is looked at once.
    at = end
  }
  return hasLargeExponent(json)
}

function hasLargeExponent(json: string): boolean {
  EXPONENT.lastIndex = 0
  for (let match = EXPONENT.exec(json); match !== null; match = EXPONENT.exec(json)) {
    let start = match.index
    while (start > 0 && isDigitOrPoint(json.charCodeAt(start - 1))) start--
    if (start < match.index && beginsNumber(json, start)) return true
  }
  return false
}

/** True where a number may stand: after a colon, comma, bracket or blank, or at the text's start. */
function beginsNumber(json: string, start: number): boolean {
  const before = json[start - 1] === '-' ? json[start - 2] : json[start - 1]
  return before === undefined || ':,[ \n\r\t'.includes(before)
}

function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  return survives(value, context.source) ? value : lossless.rawJSON(context.source)
}

function survives(value: number, source: string): boolean {
  // No double says so many digits, and to compare them takes the square of their number.
  if (source.length > LONGEST_DOUBLE) return false
  if (Number.isSafeInteger(value) && source.length < LONG && !/[eE]/.test(source)) return true
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return false
  }
  return decimal(source) === decimal(String(value))
}

/** One spelling for each decimal value: its significant digits and the power of ten of the last one. */
function decimal(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const scale = BigInt(exponent) - BigInt(fraction.length)
  return `${sign}${significant}e${scale + BigInt(digits.length - significant.length)}`
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46
}

const BYTE_ORDER_MARK = 0xfeff
/** A number of fewer than 16 characters without an exponent always survives. */
const LONG = 16
const LONGEST_DOUBLE = 1_100
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/
const EXPONENT = /[eE][+-]?\d{3}/g

/** Part of the language in Node 22 and later, not yet in TypeScript's library. */
const lossless = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): value is { rawJSON: string }
}
