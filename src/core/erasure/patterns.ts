import { type Identity, LONGEST } from './identity.ts'

/**
 * A pattern for SQL's `like` over text in lower case that occurs wherever the identity may, however its other
 * characters are escaped or composed; undefined where nothing of it is sure to.
 */
export function likePattern({ text }: Identity): string | undefined {
  const runs = text.toLowerCase().match(/[a-z0-9@.+-]+/g) ?? []
  const longest = runs.toSorted((a, b) => b.length - a.length)[0] ?? ''
  return longest.length < SURE ? undefined : `%${longest}%`
}

/**
 * Regular expressions of Postgres that find the identity, but not inside of a longer one: in text, and in
 * bytes that the database prints as text, in which letters beyond ASCII are octal digits.
 */
export function patternsOf({ text }: Identity): string[] {
  const spelled = text.slice(0, LONGEST)
  const bytes = [...Buffer.from(spelled)].map((byte) =>
    byte < 128 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`,
  )
  return [...new Set([spelled, bytes.join('')])].map((form) => {
    const escaped = escapedOf(form)
    // A sentence may end in it.
    return `(^|[^[:alnum:]_.+-])${escaped}[.]?($|[^[:alnum:]_.+-])`
  })
}

/** As `tellsOf` finds it, whatever the database takes for a letter beyond ASCII: over folded text. */
export function aloneIn(folded: string): RegExp {
  return new RegExp(`(^|[^A-Z0-9_.+-])${escapedOf(folded)}[.]?($|[^A-Z0-9_.+-])`)
}

/**
 * Regular expressions of Postgres, over JSON in lower case and composed (NFC), that find where a field that
 * may hold a name, or a list in it, says this name and no more, or two fields its halves: as `redactValue`
 * judges a name that counts everywhere. `nested` says that the JSON stands as text in other JSON.
 */
export function patternsOfName(
  { text }: Identity,
  { personal, nested }: { personal: readonly string[]; nested: boolean },
): string[] {
  const inJson = (word: string): string => JSON.stringify(word).slice(1, -1)
  const spelled = (word: string): string => (nested ? inJson(inJson(word)) : inJson(word))
  const words = text.split(' ').map((word) => escapedOf(spelled(word)))
  const quote = nested ? '\\\\"' : '"'
  const space = '(?:[[:space:]]|\\\\+[tnrfv])'
  const value = (said: readonly string[]): string =>
    `${quote}${space}*${said.join(`${space}+`)}${space}*${quote}`
  const field = (fields: readonly string[], between = ''): string =>
    `"(?:${fields.join('|')})${quote}${between}[[:space:]]*:[[:space:]]*`
  // Of a finding the field stands beside what was found there, in two columns.
  const naming = field(
    ['[^"\\\\]*name', ...personal.map(escapedOf)],
    '(?:[[:space:]]*,[[:space:]]*"example")?',
  )
  const halves = words.slice(1).flatMap((_, at) => {
    const first = field(['first_name']) + value(words.slice(0, at + 1))
    const last = field(['last_name']) + value(words.slice(at + 1))
    return [`${first}[^{}]*${last}`, `${last}[^{}]*${first}`]
  })
  return [`${naming}(?:\\[(?:[^]]*,)?[[:space:]]*)?${value(words)}`, ...halves]
}

function escapedOf(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

const SURE = 3
