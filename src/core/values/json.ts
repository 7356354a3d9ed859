/** A record as parsed. Numbers that a double cannot represent are `JSON.rawJSON` objects. */
export type WireRecord = Readonly<Record<string, unknown>>

/** An object with fields: neither null nor a list. */
export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * `JSON.parse` without its silent losses: integers past 2^53 and numbers that a double cannot represent
 * (1e400, more than 17 digits) become `JSON.rawJSON` objects, which `JSON.stringify` prints as received.
 * Trailing text is refused, a byte-order mark is accepted. The parse with a source reviver, five times
 * slower, runs only for texts that may need it.
 */
export function parseLossless(text: string): unknown {
  const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
  return mayLoseDigits(json) ? lossless.parse(json, keepDigits) : JSON.parse(json)
}

/** The original digits of a number that `parseLossless` kept; undefined for any other value. */
export function rawNumber(value: unknown): string | undefined {
  return lossless.isRawJSON(value) ? value.rawJSON : undefined
}

/**
 * Whether a number in the text may be too long or too large for a double. Checks only every sixteenth
 * character, since a number that is too long covers at least one of these, and then looks for exponents of
 * three digits. May return true without need.
 */
export function mayLoseDigits(json: string): boolean {
  for (let at = LONG - 1; at < json.length; at += LONG) {
    if (!isDigitOrPoint(json.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isDigitOrPoint(json.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end < json.length && isDigitOrPoint(json.charCodeAt(end))) end++
    if (end - start >= LONG && beginsNumber(json, start)) return true
    // A long run of digits inside a text is scanned once.
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

function beginsNumber(json: string, start: number): boolean {
  const before = json[start - 1] === '-' ? json[start - 2] : json[start - 1]
  return before === undefined || ':,[ \n\r\t'.includes(before)
}

function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  return survives(value, context.source) ? value : lossless.rawJSON(context.source)
}

function survives(value: number, source: string): boolean {
  // No double needs this many digits, and comparing them takes quadratic time.
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

/** Part of the language in Node 22 and later, not yet in TypeScript's library. */
const lossless = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): value is { rawJSON: string }
}

/** The position of the next non-blank character. Like the functions below it requires valid JSON. */
export function skipBlanks(json: string, at: number): number {
  let next = at
  for (let code = json.charCodeAt(next); isBlank(code); code = json.charCodeAt(next)) next++
  return next
}

/** The position after the string that begins at `at`. */
export function skipString(json: string, at: number): number {
  let quote = at
  for (;;) {
    quote = json.indexOf('"', quote + 1)
    if (quote < 0) throw new RangeError('A string in the JSON text has no end')
    let slashes = 0
    while (json.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
  }
}

/** The position after the value that begins at `at`. */
export function skipValue(json: string, at: number): number {
  const first = json.charCodeAt(at)
  if (first === QUOTE) return skipString(json, at)
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    END_OF_SCALAR.lastIndex = at
    return END_OF_SCALAR.test(json) ? END_OF_SCALAR.lastIndex - 1 : json.length
  }
  let depth = 0
  let next = at
  for (;;) {
    STRUCTURE.lastIndex = next
    if (!STRUCTURE.test(json)) throw new RangeError('A value in the JSON text has no end')
    next = STRUCTURE.lastIndex - 1
    const code = json.charCodeAt(next)
    if (code === QUOTE) next = skipString(json, next)
    else {
      depth += code === OPEN_BRACE || code === OPEN_BRACKET ? 1 : -1
      next++
      if (depth === 0) return next
    }
  }
}

export function stringAt(json: string, start: number, end: number): string {
  const inner = json.slice(start + 1, end - 1)
  return inner.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : inner
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

/** Whether JSON text has more than `most` values, estimated by its commas and opening brackets. */
export function holdsMoreValues(json: Uint8Array, most: number): boolean {
  if (json.length <= most) return false
  let values = 0
  for (let at = 0; at < json.length; at++) {
    const code = json[at]
    if (code === QUOTE) at = endOfString(json, at)
    else if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) {
      values++
      if (values > most) return true
    }
  }
  return false
}

/** The place of the quote that ends a string, or the text's end. */
function endOfString(json: Uint8Array, start: number): number {
  for (let quote = start; ; ) {
    quote = json.indexOf(QUOTE, quote + 1)
    if (quote < 0) return json.length
    let strokes = 0
    while (json[quote - 1 - strokes] === BACKSLASH) strokes++
    if (strokes % 2 === 0) return quote
  }
}

const BYTE_ORDER_MARK = 0xfeff
/** A number with fewer characters and without an exponent always survives. */
const LONG = 16
const LONGEST_DOUBLE = 1_100
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/
const EXPONENT = /[eE][+-]?\d{3}/g

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPEN_BRACE = 123
const OPEN_BRACKET = 91
const STRUCTURE = /["{}[\]]/g
const END_OF_SCALAR = /[,}\]\s]/g
