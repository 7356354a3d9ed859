/**
 * Whether JSON text holds more values than these. Each takes a character at the least, so that a text of no
 * more characters need not be looked at; of any other each is, once.
 */
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

const QUOTE = 34
const COMMA = 44
const OPEN_BRACKET = 91
const BACKSLASH = 92
const OPEN_BRACE = 123
