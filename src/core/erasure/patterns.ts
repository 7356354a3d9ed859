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

/** A regular expression of Postgres that finds the identity, but not inside of a longer one. */
export function tellOf({ text }: Identity): string {
  const escaped = text.slice(0, LONGEST).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  // A sentence may end in it.
  return `(^|[^[:alnum:]_.+-])${escaped}[.]?($|[^[:alnum:]_.+-])`
}

const SURE = 3
