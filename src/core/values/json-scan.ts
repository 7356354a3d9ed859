/**
 * Positions inside JSON text that `JSON.parse` has already accepted: nothing here checks the grammar again.
 */

/** The position of the next character that is no blank. */
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

/** The text that a string literal stands for. */
export function stringAt(json: string, start: number, end: number): string {
  const inner = json.slice(start + 1, end - 1)
  return inner.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : inner
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACE = 123
const OPEN_BRACKET = 91
const STRUCTURE = /["{}[\]]/g
const END_OF_SCALAR = /[,}\]\s]/g
