import { foldText } from '../values/fold-text.ts'
import { standsAlone } from './alphabet.ts'
import { type Identity, SHORTEST_WITHIN } from './identity.ts'
import { readingsOf } from './veiled.ts'

/** `within`: inside what may be a longer word, so nobody can tell whether it names the person. */
export type Mention = 'alone' | 'within'

/**
 * Looks for known IDs and addresses in every reading of a text, also inside of words. A short ID inside of a
 * word is there by chance. Where this finds nothing, the text does not name the person.
 */
export function mentionOf(text: string, identities: readonly Identity[]): Mention | undefined {
  let found: Mention | undefined
  for (const reading of readingsOf(text)) {
    const folded = foldText(reading)
    for (const { kind, text: sought } of identities) {
      if (kind === 'name') continue
      const mention =
        kind === 'address' ? mentionIn(folded, foldText(sought)) : mentionIn(reading, sought)
      if (mention === 'alone') return mention
      found ??= mention
    }
  }
  return found
}

function mentionIn(text: string, sought: string): Mention | undefined {
  let found: Mention | undefined
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    const to = at + sought.length
    if (standsAlone(text, at, to)) return 'alone'
    const beside = `${text[at - 1] ?? ''}${text[to] ?? ''}`
    if (sought.length >= SHORTEST_WITHIN || !/[\p{L}\p{N}]/u.test(beside)) found = 'within'
  }
  return found
}
