import { z } from 'zod'

/**
 * A configured regular expression, which JavaScript checks and Postgres matches with rows. Rejects syntax
 * that only one of the two knows or that they interpret differently, and names it.
 */
export const commonPattern = () =>
  z
    .string({ error: 'a regular expression in quotes' })
    .min(1)
    .max(200)
    .superRefine((pattern, context) => {
      const message = wrongIn(pattern)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })

function wrongIn(pattern: string): string | undefined {
  for (const [found, why] of NOT_COMMON) {
    const [part] = found.exec(pattern) ?? []
    if (part !== undefined) return `a regular expression ${why}, which has ${part}`
  }
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, ...ends]) => ends)
  if (repeats.some((end) => Number(end) > MOST_REPEATS))
    return `a regular expression that repeats a part at most ${MOST_REPEATS} times`
  try {
    RegExp(pattern, 'u')
  } catch (error) {
    return `a regular expression: ${String(error).replace(/^.*: /, '')}`
  }
  return undefined
}

const NOT_COMMON: readonly (readonly [RegExp, string])[] = [
  // In Postgres, \w matches ü; in JavaScript it does not.
  [/\\[A-Za-z0-9]/, 'with no escapes but those of signs ([0-9] says digits)'],
  [/\(\?(?!:)[^)]?/, 'without groups but (…) and (?:…)'],
  [/\[(?:[:.=]|\^?\])/, 'without empty classes and classes by name'],
  [/\p{Cc}/u, 'without control characters'],
]
/** The maximum repetition count in Postgres. */
const MOST_REPEATS = 255
