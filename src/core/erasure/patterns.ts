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
export function tellsOf({ text }: Identity): string[] {
  const spelled = text.slice(0, LONGEST)
  const bytes = [...Buffer.from(spelled)].map((byte) =>
    byte < 128 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`,
  )
  return [...new Set([spelled, bytes.join('')])].map((form) => {
    const escaped = form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    // A sentence may end in it.
    return `(^|[^[:alnum:]_.+-])${escaped}[.]?($|[^[:alnum:]_.+-])`
  })
}

const SURE = 3
