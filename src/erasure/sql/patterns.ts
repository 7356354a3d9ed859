import { domainToASCII } from 'node:url'
import type { Identity } from '../../core/persons/identity.ts'

/**
 * Returns patterns for SQL's `like` over lower-case text. Every text that may contain the identity matches
 * one of them, even if its other characters are escaped or composed differently. Returns none if no part of
 * the identity is certain to occur.
 */
export function likePatterns({ kind, text }: Identity): string[] {
  const [local = '', domain = ''] = text.split('@')
  const ascii = kind === 'address' ? domainToASCII(domain) : ''
  const forms = ascii === '' ? [text] : [text, `${local}@${ascii}`]
  const patterns = forms.map(likePattern)
  return patterns.includes(undefined) ? [] : [...new Set(patterns.flatMap((one) => one ?? []))]
}

/** Returns patterns for a search. An identity without a certain pattern makes it look at every row. */
export function searchPatterns(identities: readonly Identity[]): string[] {
  return identities.flatMap((identity) => {
    const patterns = likePatterns(identity)
    return patterns.length === 0 ? ['%'] : patterns
  })
}

function likePattern(text: string): string | undefined {
  const runs = text.toLowerCase().match(/[a-z0-9@.+-]+/g) ?? []
  const longest = runs.toSorted((a, b) => b.length - a.length)[0] ?? ''
  return longest.length < SURE && !longest.includes('@') ? undefined : `%${longest}%`
}

const SURE = 3
