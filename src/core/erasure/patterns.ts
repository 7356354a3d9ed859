import type { Identity } from './identity.ts'

/**
 * A pattern for SQL's `like` over text in lower case that occurs wherever the identity may, however its other
 * characters are escaped or composed; undefined where nothing of it is sure to.
 */
export function likePattern({ text }: Identity): string | undefined {
  const runs = text.toLowerCase().match(/[a-z0-9@.+-]+/g) ?? []
  const longest = runs.toSorted((a, b) => b.length - a.length)[0] ?? ''
  return longest.length < SURE && !longest.includes('@') ? undefined : `%${longest}%`
}

const SURE = 3
