import { type Identity, identityAsSpelled } from '../core/persons/identity.ts'
import { mentionOf } from '../core/persons/mentions.ts'
import { readingsOf } from '../core/persons/veiled.ts'
import { foldText } from '../core/values/text.ts'

/**
 * Returns a test of report parameters: true if one equals an identity, or contains an ID or an address by the
 * rules of the search of all tables.
 */
export function namedIn(persons: readonly Identity[]): (text: string) => boolean {
  const whole = new Set(persons.map(({ text }) => foldText(text)))
  const inside = persons.flatMap(({ kind, text }) =>
    kind === 'name' ? [] : [identityAsSpelled(text)],
  )
  return (text) =>
    readingsOf(text).some((said) => whole.has(foldText(said.trim()))) ||
    mentionOf(text, inside) === 'alone'
}
